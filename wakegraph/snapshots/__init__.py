"""Snapshots and their links: saving, linking, reading, searching, updating, deleting."""
