"""Into and out of the graph: JSON lines, git histories."""
