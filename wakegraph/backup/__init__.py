"""Backup and restore: everything wakegraph holds, from any server into any server."""
