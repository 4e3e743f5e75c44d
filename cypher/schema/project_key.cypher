// One settings node per project.
CREATE CONSTRAINT wakegraph_project_key IF NOT EXISTS
FOR (p:WakegraphProject) REQUIRE p.name IS UNIQUE
