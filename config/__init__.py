"""Settings, URL configuration, the WSGI entry and the launcher of the embedded PostgreSQL."""
