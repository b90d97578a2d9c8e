# One command each: make run, make test. Everything lives in .venv; nothing is installed elsewhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := oracle,bench,test
# What a run needs: MKL where there is one.
RUNTIME := .
ifeq ($(shell uname -m),x86_64)
EXTRAS := mkl,$(EXTRAS)
RUNTIME := .[mkl]
endif
WORKERS ?= 2

.PHONY: run example test test-fast bounds fuzz check format docs bench clean install

run: $(VENV)/.runtime  ## drop balls into a box, print the summary, draw out/pile.png and out/convergence.png
	mkdir -p out
	$(BIN)/signorini run balls-in-box --solver interior-point --profile --picture out/pile.png --plot out/convergence.png

example: $(VENV)/.runtime  ## solve one step of a pile with four solvers, print the table, draw out/solvers.png
	$(BIN)/python examples/pile.py --picture out/solvers.png

test: check bounds  ## everything
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

BOUNDED ?= tests/kernels
bounds: $(VENV)/.installed  ## compiled loops with every index checked, in a cache of their own; BOUNDED=tests checks all
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/checked-loops $(BIN)/python -m pytest $(BOUNDED) -m "not slow" --hypothesis-profile quick

MINUTES ?= 10
fuzz: $(VENV)/.installed  ## damaged files, random models, kills and faults for MINUTES=10
	$(BIN)/python tests/fuzz/run.py files folders models kills --processes $(WORKERS) --seconds $$((15 * $(MINUTES))) --out out/fuzz.jsonl

test-fast: $(VENV)/.installed  ## under a minute
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow" --hypothesis-profile quick

check: $(VENV)/.installed  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs  ## docs/_build/html/index.html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

bench: $(VENV)/.installed  ## the bars of benchmarks/README.md
	$(BIN)/python benchmarks/interior_point.py
	$(BIN)/python benchmarks/fclib_sweep.py
	$(BIN)/python benchmarks/simulation.py
	$(BIN)/python benchmarks/mujoco_race.py
	$(BIN)/python benchmarks/truth.py

install: $(VENV)/.installed

# The stamps are older than pyproject.toml when it changes: then the package is installed again.
$(VENV)/.runtime: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e "$(RUNTIME)"
	touch $@

$(VENV)/.installed: $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$(EXTRAS)]"
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) out build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
