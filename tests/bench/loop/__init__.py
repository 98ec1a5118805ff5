"""`make bench`, second part: compiling packs, how well they rank, and who can bend the ranking.

Rules: `assurance.md` 6.3 (P11) and 6.4, `retrieval.md`.
"""
