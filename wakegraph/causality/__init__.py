"""Layer 1: why does this exist, and what follows from it?"""
