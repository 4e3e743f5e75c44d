"""One page to go on from, for whoever starts or has lost the thread."""
