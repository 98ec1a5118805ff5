"""What a screen reads: one function a screen, one audited read where the screen shows rows."""
