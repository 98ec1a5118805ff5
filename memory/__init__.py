"""Projects, records and their evidence, the audit log, and the HTTP plumbing of all apps."""

__version__ = "0.1.0"
