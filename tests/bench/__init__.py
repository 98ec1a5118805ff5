"""`make bench`: the product over HTTP against the same contract in plain SQL and bare WSGI.

Rules: `assurance.md` 6.3 (the goals) and 6.4 (how to measure).
"""
