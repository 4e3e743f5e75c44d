"""Neo4j Browser: its address with everything filled in, saved queries, a style sheet and what it goes by."""
