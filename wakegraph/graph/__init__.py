"""The database: connection, statements, schema. Nothing else in wakegraph touches the driver."""
