// One artifact per project and reference.
CREATE CONSTRAINT wakegraph_artifact_key IF NOT EXISTS
FOR (a:Artifact) REQUIRE (a.project, a.ref) IS UNIQUE
