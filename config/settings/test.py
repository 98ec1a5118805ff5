"""Settings of the test suite and for developing: hasher, plain static files, `/_components/`.

Nothing else that matters differs from an installation.
"""

from __future__ import annotations

from config.settings.base import *  # noqa: F403 - a settings module is the sum of its base
from config.settings.base import DATABASES, INSTALLED_APPS, STORAGES

SECRET_KEY = "only-for-tests-" * 4
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
INSTALLED_APPS = [*INSTALLED_APPS, "django_linear_migrations", "django_migration_linter"]

# pytest-django makes and drops databases, which open pools would prevent.
DATABASES["default"]["OPTIONS"].pop("pool", None)

COMPONENTS_PAGE = True

# Hashed names are 404 under a live test server, and the scripts would be absent in silence.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
