// One schema node.
CREATE CONSTRAINT wakegraph_schema_key IF NOT EXISTS
FOR (v:WakegraphSchema) REQUIRE v.name IS UNIQUE
