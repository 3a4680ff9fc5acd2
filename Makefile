# make demo and make test work in a fresh clone; both rest on make setup, which makes .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: setup demo test lint bench site docs clean

setup: $(READY)

$(READY): setup.py
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools wheel
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

demo: setup
	$(BIN)/argue-bench demo --out demo --published leaderboard-submissions/published

test: setup
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -n auto --dist loadgroup

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks

site: setup
	$(BIN)/argue-bench site build

docs: setup
	$(BIN)/zensical build --strict

clean:
	rm -rf .venv build dist demo site/build *.egg-info .mypy_cache .pytest_cache .ruff_cache
