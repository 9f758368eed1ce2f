# README's two commands are `make demo` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready

SCALE ?= quick

.DEFAULT_GOAL := help
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*\#\#.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(READY): pyproject.toml
	@echo "== building $(VENV) from $$($(PYTHON) --version) (once; again when pyproject.toml changes)"
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "winnowkit needs Python 3.11 or newer; try make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'  # the first that knows dependency groups
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . --group dev
	@touch $@

demo: $(READY)  ## set up the environment and run the demo: a table, text messages and a stream
	@$(BIN)/python -m winnowkit.experiments.demo

reproduce: $(READY)  ## reproduce the papers' tables and figures; SCALE=paper for full size, JOBS=n processes
	@$(BIN)/winnowkit reproduce --scale $(or $(SCALE),quick) --jobs $(or $(JOBS),-1)

# Kernels are compiled once before the tests, which run in two processes that would both compile them.
test: check  ## set up the environment and run linters, type checks and tests
	@echo "== tests"
	@$(BIN)/winnowkit warmup --quiet
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal

check: $(READY)  ## run linters, type checks and import contracts
	@echo "== ruff, codespell, mypy, import-linter"
	@$(BIN)/ruff format --check -q .
	@$(BIN)/ruff check -q .
	@$(BIN)/codespell
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

docs: $(READY)  ## build the site in docs/_build/html; runs every example and fails on warnings
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "== docs/_build/html/index.html"

outputs: $(READY)  ## update the printed output in the documents
	@$(BIN)/python docs/outputs.py

picture: $(READY)  ## redraw the picture in README from real output
	@$(BIN)/python docs/picture.py

test-slow: $(READY)  ## run the slow tests: long statistics, kills, browsers, the site
	@echo "== slow tests"
	@$(BIN)/python -m pytest -q -n 2 -m slow

# numba's cache does not know of bounds checks, so the kernels compiled with them have a folder of their own.
test-bounds: $(READY)  ## run the tests with bounds checks in every kernel; TESTS=folders (default: the rooms with kernels)
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/output/bounds-checked" $(BIN)/python -m pytest -q -n 2 \
		$(or $(TESTS),tests/linear tests/counting tests/dnf tests/data tests/model_file tests/core tests/river)

bench: $(READY) peers  ## run all benchmarks and write a report; SCALE=quick (15 minutes) or full, DATA=folder with a9a and R8
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	@$(BIN)/python benchmarks/run.py --scale $(SCALE) $(if $(DATA),--data $(DATA))

bench-linear: $(READY)  ## compare linear learners with their peers; SCALE=full takes ten minutes
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	@$(BIN)/python benchmarks/run.py linear --scale $(SCALE) $(if $(DATA),--data $(DATA))

bench-startup: $(READY)  ## measure imports, first calls and the kernels that take longest to compile
	@$(BIN)/python benchmarks/run.py startup --scale $(SCALE)

bench-real: $(READY)  ## compare Committee with its peers on real data; DATA=folder (../shared/data), SCALE=full takes longer
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	@$(BIN)/python benchmarks/run.py real --scale $(SCALE) $(if $(DATA),--data $(DATA))

bench-dnf: $(READY)  ## measure DNFWinnow against brute force and the paper
	@$(BIN)/python benchmarks/dnf.py
	@$(BIN)/python benchmarks/chains.py
	@$(BIN)/python benchmarks/dnf_errors.py --seeds 3
	@$(BIN)/python benchmarks/dnf_variants.py iris --only "no limit" "threshold coding"

bench-parsing: $(READY)  ## compare the speed of reading libsvm files with scikit-learn and xgboost
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	@$(BIN)/python benchmarks/parsing.py

bench-rules: $(READY) peers  ## compare rules of DNFWinnow with RIPPER and CN2; DATA=folder (../shared/data/tables)
	@$(BIN)/python benchmarks/rules.py
	@$(BIN)/python benchmarks/rules_table.py $(if $(DATA),--data $(DATA))

bench-tables: $(READY) peers  ## compare DNFWinnow with boosted trees, EBM and others on tables; DATA=folder (../shared/data/tables), SPLITS=10, OUTPUT=file to go on with
	@$(BIN)/python benchmarks/tables.py $(if $(OUTPUT),--output $(OUTPUT)) --splits $(or $(SPLITS),10) $(if $(DATA),--data $(DATA))

bench-distributed: $(READY)  ## measure training on many machines, with processes in their place; ROWS=rows of the stream
	@$(BIN)/python benchmarks/many_machines.py accuracy
	@$(BIN)/python benchmarks/many_machines.py accuracy --data reuters-r8
	@$(BIN)/python benchmarks/many_machines.py means
	@$(BIN)/python benchmarks/many_machines.py terms
	@$(BIN)/python benchmarks/many_machines.py traffic
	@$(BIN)/python benchmarks/many_machines.py speed
	@$(BIN)/python benchmarks/many_machines.py stream --rows $(or $(ROWS),200000000)
	@$(BIN)/python benchmarks/many_machines.py table --rows 10000000
	@$(BIN)/python benchmarks/many_machines.py simulation

bench-dnf-peers: $(READY) peers  ## compare DNFWinnow with rule learners, boosted trees and others
	@$(BIN)/python benchmarks/dnf_peers.py

peers: .venv-peers/.ready .venv-tmu/.ready .venv-rulelearn/.ready  ## build the environments of peers whose requirements conflict with ours

# A package that cannot be installed is reported, and its peer is left out. A line "# --no-deps NAME" names one that is
# installed without its requirements.
.venv-%/.ready: benchmarks/%.txt
	@echo "== building .venv-$* for peers (once)"
	@$(PYTHON) -m venv .venv-$*
	@grep -v '^#' $< | while read -r package; do \
		.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check -c $< "$$package" || echo "absent: $$package"; \
	done
	@sed -n 's/^# --no-deps //p' $< | xargs -r .venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps
	@touch $@

fuzz: $(READY)  ## fuzz every reader and the model loader; RUNS=inputs per target, TARGETS=names
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	@$(BIN)/python fuzz/run.py --runs $(or $(RUNS),10000) $(TARGETS)

# Coverage sees kernels only with the JIT off, which is slow: a second run, of the tests of kernels, leaves each test after
# a second. There numpy would warn of integer overflow, which random numbers and hashes intend.
JIT_OFF = -p briefly -k 'not threads' -W 'ignore:overflow encountered:RuntimeWarning' tests/dnf/test_heaviest.py tests/data/test_libsvm_text.py tests/data/test_multisplit.py tests/dnf/test_short_term_tables.py \
	tests/counting/test_sbsb_and_direct_bayes.py tests/dnf/test_weighted_sums.py tests/core/test_bad_rows.py tests/dnf/test_chains.py tests/linear/test_committee.py \
	tests/dnf/test_descent.py tests/counting/test_direct_bayes.py tests/counting/test_directed_drift.py tests/dnf/test_ladder.py tests/dnf/test_margins.py \
	tests/dnf/test_log.py tests/dnf/test_population.py tests/dnf/test_largest_sum.py tests/data/test_read_libsvm.py tests/river/test_river_growing.py \
	tests/counting/test_sbsb.py tests/linear/test_twins.py

coverage: $(READY)  ## measure line and branch coverage, kernels included
	@rm -rf output/coverage && mkdir -p output/coverage
	@$(BIN)/python -m coverage run -m pytest -q
	@NUMBA_DISABLE_JIT=1 PYTHONPATH="tests:$$PYTHONPATH" $(BIN)/python -m coverage run -m pytest -q $(JIT_OFF)
	@$(BIN)/python -m coverage combine -q
	@$(BIN)/python -m coverage report --skip-covered

mutate: $(READY)  ## run mutation tests; SAMPLE=mutants per room, ROOMS=names
	@$(BIN)/python tools/mutate.py --sample $(or $(SAMPLE),40) $(or $(ROOMS),bounds linear counting dnf rulesets data model_file)

supply: $(READY)  ## test the lowest declared versions, the wheel and the sdist
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@PATH="$(CURDIR)/$(BIN):$$PATH" tools/supply.sh

dist: $(READY)  ## build the wheel and the sdist, and try each in an empty environment
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@PATH="$(CURDIR)/$(BIN):$$PATH" tools/supply.sh build

publishing: $(READY)  ## check workflows, citation and packaging with tools made for that
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uvx --quiet zizmor --offline .github
	@$(BIN)/uvx --quiet check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/uvx --quiet check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/uvx --quiet check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	@$(BIN)/uvx --quiet 'sp-repo-review[cli]' .

long: $(READY)  ## run 100 million examples; check memory, speed and finite weights
	@$(BIN)/python benchmarks/long.py

clean:  ## remove environments, caches and output
	rm -rf $(VENV) .venv-peers .venv-tmu .venv-rulelearn output docs/_build docs/gallery docs/reference/generated docs/sg_execution_times.rst .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
