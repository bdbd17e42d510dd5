# Everything runs in .venv, which the targets make and fill themselves.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= $(DISCREET_DATA)
COUNT ?= 3000
SEED ?= 0
WORKERS ?= --numprocesses auto --dist worksteal

.PHONY: demo app test slow spark browser long fuzz check bench bench-full reproduce docs clean

demo: .venv/.run ## the main job on a made-up registry
	$(BIN)/discreet demo --out out

app: .venv/.app ## the web app, in your browser
	$(BIN)/discreet app

test: .venv/.dev ## the test suite, without what is slow
	DISCREET_DATA=$(DATA) $(BIN)/python -m pytest -q $(WORKERS) -m "not slow and not long and not postgres and not browser and not spark"

slow: .venv/.dev ## what `test` leaves out, and every property again with all of its examples
	DISCREET_DATA=$(DATA) DISCREET_EXAMPLES=all $(BIN)/python -m pytest -q $(WORKERS) -m "(slow or postgres or hypothesis) and not long and not browser and not spark"

spark: .venv/.spark ## a cluster of Spark on loopback; needs Java: apt-get install default-jre-headless
	DISCREET_DATA=$(DATA) $(BIN)/python -m pytest -q -m spark tests

browser: .venv/.dev ## the app and the owner's page in Chromium, which must be there: apt-get install chromium
	DISCREET_DATA=$(DATA) $(BIN)/python -m pytest -q -m browser tests/app tests/agent

long: .venv/.dev ## what takes many minutes, before a release
	DISCREET_DATA=$(DATA) $(BIN)/python -m pytest -q -m long

fuzz: .venv/.dev ## thousands of command lines and damaged files, seeded; COUNT and SEED say how many and which
	$(BIN)/python -m tests.fuzz.run --count $(COUNT) --seed $(SEED)

check: .venv/.dev ## style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/.dev ## every benchmark at a small size, and the docs' page
	DISCREET_DATA=$(DATA) $(BIN)/python benchmarks/run_all.py --quick

bench-full: .venv/.dev ## at full size, beside what others would pick, kept in benchmarks/results; takes hours
	sh benchmarks/rivals .rivals $(PYTHON)
	DISCREET_DATA=$(DATA) PYCANON_PYTHON=.rivals/pycanon/bin/python $(BIN)/python benchmarks/run_all.py

reproduce: .venv/.dev ## the papers' claims and figures, as the documentation shows them
	$(BIN)/discreet reproduce all --data "$(DATA)" --out docs/papers --json > docs/papers/claims.json

docs: .venv/.dev ## the documentation, into site/, after every example in it was run
	DISCREET_DATA=$(DATA) $(BIN)/python docs/_check.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf .venv out site

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "discreet needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/.run: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[plots]"
	touch $@

.venv/.app: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[app]"
	touch $@

.venv/.dev: .venv/bin/python pyproject.toml packages/papers/pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[plots,disclose,sklearn,sql,agent,app]" --editable packages/papers \
	  --group test --group lint --group docs
	touch $@ .venv/.run .venv/.app

.venv/.spark: .venv/.dev
	$(BIN)/python -m pip install --quiet --editable ".[spark,connect]"
	touch $@
