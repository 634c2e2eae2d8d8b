# make demo: install and show it. make test: install and run the tests.
# Everything lives in .venv and build/. You need a C++ compiler, make and Python 3.11 or later.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CONSTRAINTS := constraints.txt
ENGINE := $(shell find engine -type f) CMakeLists.txt pyproject.toml $(CONSTRAINTS)
BRIDGES := gymnasium,onnx,openspiel,pettingzoo
TOOLS := "scikit-build-core>=0.11" "nanobind>=2.9" "cmake>=3.22" ninja

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-bridges test-cluster test-browser browser gallery bench lint format sanitize tsan fuzz soak constraints stubs clean

help:
	@echo "make demo         install into .venv and watch an agent learn"
	@echo "make test         run the tests"
	@echo "make test-all     run the slow tests too"
	@echo "make test-bridges run the tests of the bridges to other libraries"
	@echo "make test-cluster run the tests of clusters: Ray with three nodes here"
	@echo "make test-browser run the tests of the arena's pages in a real browser"
	@echo "make gallery      take the pictures of docs/gallery in a real browser"
	@echo "make bench        measure speed beside peers"
	@echo "make lint         check format, style and types"
	@echo "make format       fix format and style"
	@echo "make sanitize     run the tests under AddressSanitizer"
	@echo "make tsan         run the threads under ThreadSanitizer"
	@echo "make fuzz         try hostile calls, rules, files and settings for 8 minutes"
	@echo "make soak         interrupt runs by kills and full disks for 10 minutes"
	@echo "make constraints  renew the pins of constraints.txt, except torch"
	@echo "make clean        remove .venv and build"

# Recreate the venv when its Python is gone, and remove it when creation fails. The package is installed in place, so only
# the engine's sources trigger a build.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "BoardLab needs Python 3.11 or later")'
	$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/installed: $(VENV)/bin/python $(ENGINE)
	$(PIP) install --quiet -c $(CONSTRAINTS) $(TOOLS)
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,numba,plots,notebook,web]"
	touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,bench,numba,plots,notebook,references,sweep,truths,web]"
	touch $@

$(VENV)/installed-bridges: $(VENV)/installed
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,numba,plots,notebook,web,$(BRIDGES)]"
	touch $@

$(VENV)/installed-cluster: $(VENV)/installed
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,numba,plots,notebook,ray,dask]"
	touch $@

$(VENV)/installed-browser: $(VENV)/installed
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,numba,plots,notebook,web,browser]"
	touch $@

demo: $(VENV)/installed
	$(BIN)/python -m boardlab demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-all: $(VENV)/installed-bench
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or not slow"

test-bridges: $(VENV)/installed-bridges
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests/bridges

test-cluster: $(VENV)/installed-cluster
	$(BIN)/python -m pytest -m "cluster" tests/cluster tests/jobs

# Without a browser every test is skipped, and says so.
test-browser: $(VENV)/installed-browser browser
	$(BIN)/python -m pytest -n 2 --dist worksteal -m browser -rs tests/browser

# Debian's Chromium, where none is installed and the system lets us install it.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1; \
	  fi; \
	  command -v chromium >/dev/null || echo "no Chromium here, and it cannot be installed: tests in a browser are skipped"

gallery: $(VENV)/installed-browser browser
	$(BIN)/python docs/gallery.py

bench: $(VENV)/installed-bench
	$(BIN)/python bench/playouts.py
	$(BIN)/python bench/search.py
	$(BIN)/python bench/training.py

# Copy the engine's generated type stubs to where the type checker looks for them.
stubs: $(VENV)/installed
	cp "$$($(BIN)/python -c 'import boardlab._engine as e; print(e.__file__.rsplit("/", 1)[0])')/_engine.pyi" boardlab/_engine.pyi

lint: stubs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files '*.h' '*.cpp' '*.inc' '*.c')

format: $(VENV)/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $$(git ls-files '*.h' '*.cpp' '*.inc' '*.c')

sanitize: $(VENV)/installed
	PYTHON=$(BIN)/python bash tools/sanitize.sh -n 2 --dist worksteal

# SEED=n repeats a run, FOR=n sets its seconds. See CONTRIBUTING.md.
fuzz: $(VENV)/installed
	$(BIN)/python tools/fuzz.py --seconds $(or $(FOR),480) $(if $(SEED),--seed $(SEED))

soak: $(VENV)/installed
	$(BIN)/python tools/soak.py --seconds $(or $(FOR),600) $(if $(SEED),--seed $(SEED))

constraints: $(VENV)/installed
	$(BIN)/python tools/constraints.py

# A small program under ThreadSanitizer: an ordinary Python cannot load a module built with it.
tsan:
	mkdir -p build
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -Wno-psabi -Iengine tools/threads_check.cpp engine/core/game.cpp engine/core/memory.cpp \
	  engine/games/connectfour.cpp $(addprefix engine/evaluators/,evaluator.cpp rollout.cpp encoding.cpp leaf_batch.cpp endgame.cpp) $(addprefix engine/search/,tree.cpp node_pool.cpp select.cpp value_scale.cpp proof.cpp rave.cpp gumbel.cpp hidden_worlds.cpp root_noise.cpp position_finder.cpp mcts.cpp forest.cpp search.cpp alphabeta.cpp principal.cpp prob_cut.cpp) \
	  $(addprefix engine/ntuple/,network.cpp after_states.cpp self_play.cpp replay.cpp td.cpp hogwild.cpp kernels.cpp kernels_baseline.cpp) \
	  -lpthread -o build/threads_check
	build/threads_check

clean:
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
