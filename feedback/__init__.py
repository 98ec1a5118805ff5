"""Reports of doubt and their promotion; outcomes and signals."""
