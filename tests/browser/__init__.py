"""The console in a real Chromium; a package, so that its browser ends before other tests begin."""
