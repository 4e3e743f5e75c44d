"""Layer 3: what will be needed next."""
