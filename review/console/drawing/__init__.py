"""Screens made of what was read: addresses, badges, sentences. No request, no database."""
