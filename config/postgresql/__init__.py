"""The database engine of this site: Django's own for PostgreSQL, with a cheaper look at a pool."""
