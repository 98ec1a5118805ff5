# The front door: `make run` and `make test` do everything from a clone.
.DEFAULT_GOAL := help
.SILENT:
MAKEFLAGS += --no-print-directory
PORT ?= 8000
SIZE ?= 10k
REPEATS ?= 5
DEV := .venv/bin
MANAGE := $(DEV)/python manage.py
CODE := config memory feedback review tests manage.py
SPREAD := -n auto --dist loadfile --no-loadscope-reorder
FULL := tests/faults tests/plans tests/browser/test_screens.py tests/browser/test_repeated_submits.py
TESTED := DJANGO_SETTINGS_MODULE=config.settings.test
export PYTHON
# Dozens of programs are started, which would else compile all that they import each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test test-fast test-next faults check fmt fmt-check lint types imports migrations schema \
	schema-check templates deploy bench bench-loop demo-env lock clean dev

help: ## show this list
	awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## serve on http://127.0.0.1:8000 (PORT=8001, PYTHON=python3.13, ERRATA_HOME, DATABASE_URL)
	.ci/environment .venv-run requirements.lock
	exec .venv-run/bin/python -m config.serve --port "$(PORT)" --die-with-parent

demo-env: ## print the demo's address and tokens for a shell (PORT=8001, ERRATA_HOME)
	for python in .venv-run/bin/python $(DEV)/python python3; do \
	  if command -v "$$python" >/dev/null; then exec "$$python" -m config.demo_env --port "$(PORT)"; fi; \
	done

dev:
	.ci/environment .venv requirements-dev.lock

test: dev ## the whole quick suite, browser included (ARGS="-k name")
	chrome=$$(.ci/browser $(DEV)/python) || chrome=; \
	if [ -n "$$chrome" ]; then CHROME=$$chrome exec $(DEV)/pytest $(SPREAD) $(ARGS); \
	elif [ "$(CI)" = true ]; then echo "No Chromium: the browser tests cannot run." >&2; exit 1; \
	else $(DEV)/pytest $(SPREAD) -m "not browser" $(ARGS); code=$$?; \
	echo "*** NOT RUN: the browser tests, because no Chromium could be found or installed. ***" >&2; \
	exit $$code; fi

test-fast: dev ## the suite without browser, plans and slow tests
	$(DEV)/pytest $(SPREAD) -m "not browser and not plans and not slow" $(ARGS)

faults: ## the tests of the quick suite that have a longer form, in that form (before a release)
	ERRATA_TESTS=full $(MAKE) test ARGS="$(FULL) $(ARGS)"

test-next: dev ## the suite with the newest Python found and Django 6.1, outside the locks
	.ci/next $(ARGS)

check: dev fmt-check lint types imports templates migrations schema-check deploy test ## all that CI checks, cheapest first

fmt: dev ## format code and templates
	$(DEV)/ruff check --quiet --fix --select I $(CODE)
	$(DEV)/ruff format $(CODE)
	$(DEV)/djade --target-version 5.2 $$(find templates -name '*.html')

fmt-check: dev
	$(DEV)/ruff format --check --quiet $(CODE) || { echo "Run make fmt." >&2; exit 1; }

lint: dev ## ruff
	$(DEV)/ruff check $(CODE)

types: dev ## mypy, strict
	$(DEV)/mypy

imports: dev ## the import contracts
	$(DEV)/lint-imports --no-logo

templates: dev ## djLint and djade over the templates
	$(DEV)/djlint --quiet --lint templates
	$(DEV)/djade --check --target-version 5.2 $$(find templates -name '*.html')

# The one that is named there requires columns that the migration before it has filled.
migrations: dev ## models and migrations agree, in one line, and each migration is safe
	ERRATA_HOME=$$(mktemp -d) && export ERRATA_HOME && trap 'rm -rf "$$ERRATA_HOME"' EXIT && \
	$(TESTED) $(MANAGE) check && \
	$(TESTED) $(MANAGE) makemigrations --check --dry-run && \
	$(TESTED) $(MANAGE) lintmigrations --warnings-as-errors --no-cache --quiet ok ignore --include-apps memory feedback review --ignore-name 0009_report_targets_required

schema: dev ## write docs/openapi.yaml
	$(TESTED) $(MANAGE) spectacular --file docs/openapi.yaml --validate --fail-on-warn

schema-check: dev
	mkdir -p .cache && $(TESTED) $(MANAGE) spectacular --file .cache/openapi.yaml --validate --fail-on-warn
	diff -u docs/openapi.yaml .cache/openapi.yaml || { echo "Run make schema." >&2; exit 1; }

deploy: dev
	DJANGO_SETTINGS_MODULE=config.settings.production ERRATA_ALLOWED_HOSTS=errata.example \
	ERRATA_SECRET_KEY=$$($(DEV)/python -c 'import secrets; print(secrets.token_urlsafe(50))') \
	$(MANAGE) check --deploy --fail-level WARNING

BENCH_OPTIONS = --size "$(SIZE)" --repeats "$(REPEATS)" $(if $(filter 1,$(CHECK)),--check)

bench: dev ## HTTP against plain SQL, then bench-loop (SIZE=10k|100k|200k|1M|10M, REPEATS=5, CHECK=1)
	code=0; $(DEV)/python -m tests.bench $(BENCH_OPTIONS) || code=$$?; \
	$(DEV)/python -m tests.bench.loop $(BENCH_OPTIONS) || code=$$?; exit $$code

bench-loop: dev ## compiles as projects grow, their ranking, poisoning (SIZE=10k|100k|200k, PART=speed)
	exec $(DEV)/python -m tests.bench.loop $(BENCH_OPTIONS) $(addprefix --part ,$(PART))

lock: dev ## write the lock files anew, with hashes and without addresses
	. .ci/surroundings; $(DEV)/uv pip compile --quiet --universal --generate-hashes --no-header --upgrade \
	  --python-version 3.11 pyproject.toml -o requirements.lock
	. .ci/surroundings; $(DEV)/uv pip compile --quiet --universal --generate-hashes --no-header --upgrade \
	  --python-version 3.11 --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## remove environments and caches, never the state in ERRATA_HOME
	rm -rf .venv .venv-run .venv-next .cache .hypothesis
	find config memory feedback review tests -name __pycache__ -prune -exec rm -rf {} +
