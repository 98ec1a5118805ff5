"""Settings of every installation; `environment.py` parses what the operator may choose."""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF

from config.home import state_folder
from config.json_logs import configure_structlog, logging_settings
from config.settings.database import database_settings
from config.settings.environment import Environment

ENVIRONMENT = Environment()
BASE_DIR = Path(__file__).resolve().parents[2]
ERRATA_HOME = state_folder()

DEBUG = False
COMPONENTS_PAGE = False  # `/_components/`: only the test settings turn it on, nothing else can
# Empty is refused by Django as soon as something is signed; `manage.py` and `make run` provide it.
SECRET_KEY = ENVIRONMENT.secret_key("ERRATA_SECRET_KEY")
SECRET_KEY_FALLBACKS = ENVIRONMENT.words("ERRATA_SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = ENVIRONMENT.hosts("ERRATA_ALLOWED_HOSTS") or ["127.0.0.1", "localhost", "[::1]"]
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.origins("ERRATA_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "csp",
    "config",
    "memory",
    "feedback",
    "review",
]

TRUSTED_PROXIES = ENVIRONMENT.networks("ERRATA_TRUSTED_PROXIES")

MIDDLEWARE = [
    "memory.http.middleware.RequestContextMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "memory.http.middleware.WireMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": database_settings(ENVIRONMENT)}

# --- People -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "memory.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ANONYMOUS_USER_NAME = None  # guardian keeps no user for visitors
LOGIN_URL = "/sign-in/"

SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_AGE = 30 * 60  # idle; review ends a session after 12 hours in any case
SESSION_SAVE_EVERY_REQUEST = True  # makes the 30 minutes count from the last request
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = not ENVIRONMENT.flag("ERRATA_INSECURE_COOKIES")
# In the session, so that the token of a form lives exactly as long as the sign-in.
CSRF_USE_SESSIONS = True
CSRF_COOKIE_SECURE = SESSION_COOKIE_SECURE
CSRF_FAILURE_VIEW = "review.console.failures.form_refused"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- Headers ------------------------------------------------------------------------------------
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
# With no-referrer Chromium sends `Origin: null`, and Django refuses every form.
SECURE_REFERRER_POLICY = "strict-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "style-src": [SELF],
        "script-src": [SELF],
        "img-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": [NONE],
    },
}

# --- Files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Our own files only: the assets that come with packages are never served.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
STATIC_ROOT: Path | None = Path(ENVIRONMENT.text("ERRATA_STATIC_ROOT") or ERRATA_HOME / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- Time and language --------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# --- The wire -----------------------------------------------------------------------------------
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # bytes, `contract.md` 0.8
READS_PER_MINUTE = ENVIRONMENT.count("ERRATA_READS_PER_MINUTE")
WRITES_PER_MINUTE = ENVIRONMENT.count("ERRATA_WRITES_PER_MINUTE")
FAILED_AUTHENTICATIONS_PER_MINUTE = ENVIRONMENT.count("ERRATA_FAILED_AUTHENTICATIONS_PER_MINUTE")

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],  # each view names its own
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "memory.http.schema.WireSchema",
    "URL_FORMAT_OVERRIDE": None,  # `?format=` changes nothing
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Errata",
    "VERSION": "1",
    "DESCRIPTION": "A governed memory for AI agents: records, doubts about them, and decisions.",
    "SCHEMA_PATH_PREFIX": "/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": False,  # inputs and outputs are separate serializers
    # Enumerations stay where they are used; routes stay in the order of the URLs.
    "POSTPROCESSING_HOOKS": ["memory.http.conventions.describe_conventions"],
    "SORT_OPERATIONS": False,
}

# --- Logs ---------------------------------------------------------------------------------------
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_settings(level=ENVIRONMENT.log_level("ERRATA_LOG_LEVEL"))
configure_structlog()

SILENCED_SYSTEM_CHECKS = [
    "guardian.W001",  # guardian's backend stays out: roles are read from their rows, once a request
    "security.W005",  # HSTS for subdomains and preloading are the operator's to promise,
    "security.W021",  # not a default that one cannot take back
]
