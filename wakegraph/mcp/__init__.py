"""The MCP server: the tools through which agents use the memory. `create_server` in `wakegraph.mcp.server` makes it."""
