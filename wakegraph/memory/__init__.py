"""Layer 2: how relevant a snapshot is now."""
