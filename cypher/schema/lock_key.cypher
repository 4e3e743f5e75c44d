// One lock node per name; without the constraint concurrent MERGEs would make several and the lock would not hold.
CREATE CONSTRAINT wakegraph_lock_key IF NOT EXISTS
FOR (l:WakegraphLock) REQUIRE l.name IS UNIQUE
