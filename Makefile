# Everything a person or CI runs. `make setup` is all the set-up there is; the others depend on it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# To compile all modules takes a minute, and most are never used: a small run compiles those that are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

STORE ?= demo-store

# The tests start hundreds of processes: let them find modules compiled.
unexport PYTHONDONTWRITEBYTECODE

# In `make bench web` the words after bench name benchmarks, also where there is a target of that name.
ifeq ($(firstword $(MAKECMDGOALS)),bench)
BENCHMARKS := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
endif

.PHONY: help setup extras demo docs test compiled unit lint types sql scripts long format browser screenshots messages newest bench baselines soak cluster cluster-test cluster-setup lock clean

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP)  ## make .venv with everything in it

$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
		{ echo "cardlog needs Python 3.11, 3.12 or 3.13; name one: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && { \
		$(BIN)/cardlog ingest --store $$folder/store tests/fixtures/kaiser/playedhand_sample.csv && \
		$(BIN)/cardlog build --store $$folder/store && $(BIN)/cardlog query "select 1" --store $$folder/store && \
		$(BIN)/python -c 'import cardlog.web.app'; } > $$folder/log 2>&1 || { cat $$folder/log; exit 1; }
	@touch $(STAMP)

demo: setup  ## the whole way on the logs that come with the project
	$(BIN)/cardlog demo

test: lint unit  ## lint, types and all tests but the long ones

compiled: setup  # once, not once in each process of the tests
	$(BIN)/python -m cardlog.pipelines.terminal.precompile

unit: compiled
	$(BIN)/python -m pytest -n 3 --dist worksteal

long: compiled  ## the tests of the whole that take seconds each, as CI runs them, too
	$(BIN)/python -m pytest -m long -n 3 --dist worksteal

lint: setup  ## ruff, mypy, sqlfluff, and for the page's scripts oxlint and tsc
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory --jobs 2 --output-sync types sql scripts

types:
	$(BIN)/mypy

sql:
	$(BIN)/sqlfluff lint --processes 2 --nocolor dbt_project

scripts:
	@if ! command -v npm > /dev/null; then echo "There is no npm here: the page's scripts are not checked."; \
	elif ! $(MAKE) --silent node_modules/.package-lock.json; then \
		echo "npm can't install what checks the page's scripts: they are not checked."; \
	else node_modules/.bin/oxlint --deny-warnings web/static && node_modules/.bin/tsc; fi

node_modules/.package-lock.json: package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --silent --fetch-retries 1
	@touch $@

format: setup  ## write code the way lint wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

extras: setup  ## PyTorch and matplotlib, for the examples and their like; tests of them are skipped without
	$(PIP) --no-build-isolation --editable ".[examples]"

docs: setup  ## describe the marts on a page, docs.html, and open it; STORE=DIR says of which store
	@test -e "$(STORE)" || $(BIN)/cardlog demo --store "$(STORE)" > /dev/null
	@rm -f docs.html
	$(BIN)/cardlog docs docs.html --store "$(STORE)"
	@$(BIN)/python -m webbrowser "file://$(CURDIR)/docs.html" > /dev/null 2>&1 || echo "There is no browser here."

browser: setup  ## the tests of the page in Chromium, which the system must have; skipped without
	$(BIN)/python -m pytest -n 2 --dist worksteal tests/browser -m browser

screenshots: setup  ## take the pictures of the page that are in docs
	$(BIN)/python -m tests.support.screenshots docs/web

messages: setup  ## write the catalogue of the page's texts anew, and bring translations up to date with it
	$(BIN)/python -m tests.support.catalogue

newest: setup  ## install the wheel, with the newest versions that it allows, in an empty environment; run the demo there
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(BIN)/python -m hatchling build -t wheel -d $$folder && \
	$(PYTHON) -m venv $$folder/venv && wheel=$$(echo $$folder/*.whl) && cd $$folder && \
	pip="venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile" && \
	$$pip $$wheel $(CURDIR)/examples/hearts && XDG_CACHE_HOME=$$folder/cache venv/bin/cardlog demo && \
	$$pip pytest && venv/bin/python -m pytest -q -p no:cacheprovider $(CURDIR)/examples/hearts/tests && \
	$$pip "$$wheel[web]" && \
	for name in models pipelines schemas tests; do mkdir $$name && touch $$name/__init__.py || exit 1; done && \
	venv/bin/python -c 'import models, cardlog, cardlog.web.app as page; assert "venv" not in models.__file__; \
		cardlog.open("demo-store").chart("kaiser_bid_success"); print("imported", page.__name__)'

bench: setup $(if $(filter scale,$(BENCHMARKS)),extras)  ## measure speed and memory; bench web: the page; bench scale: growth to a million hands
	$(BIN)/python -m $(if $(filter scale,$(BENCHMARKS)),benchmarks.scale --png docs/growth.png,benchmarks $(BENCHMARKS))

ifneq ($(BENCHMARKS),)
.PHONY: $(BENCHMARKS)
$(BENCHMARKS):
	@:
endif

baselines: extras  ## how well players foresee and play the sample data, into the new folder baselines; some minutes
	$(BIN)/python -m examples.baselines baselines

soak: setup  ## the long runs: two hundred kills, eight writers, a hundred thousand damaged logs of each format; some three hours
	$(BIN)/python -m pytest -m soak -n 2 --dist worksteal

cluster: cluster-setup  ## a Flink cluster with an object store on this machine, until Ctrl-C
	@$(BIN)/python -m cluster

cluster-test: cluster-setup  ## the tests that need one; exit code 77 of python -m cluster test: there is no Java
	$(BIN)/python -m cluster test

cluster-setup: setup
	@$(BIN)/python -c 'import moto, flask' 2> /dev/null || \
		$(PIP) --no-build-isolation --editable ".[cluster]"

lock: setup  ## pin what is installed, with hashes
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --no-strip-extras --extra dev --extra web --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --output-file requirements.txt pyproject.toml

clean:  ## remove what make made
	rm -rf $(VENV) node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis dbt_project/target dbt_project/logs
