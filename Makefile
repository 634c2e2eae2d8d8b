# make demo: set up and see it work. make test: set up and run the tests.
# Everything lives in .venv and build/; a compiler, make and Python 3.11 or later are all that is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CONSTRAINTS := constraints.txt
ENGINE := $(shell find engine -type f) CMakeLists.txt pyproject.toml $(CONSTRAINTS)
TOOLS := "scikit-build-core>=0.11" "nanobind>=2.9" "cmake>=3.22" ninja

.DEFAULT_GOAL := help
.PHONY: help demo test test-all bench lint format sanitize tsan fuzz soak constraints stubs clean

help:
	@echo "make demo      set up in .venv and see it work"
	@echo "make test      set up and run the tests; make test-all: the slow ones, too"
	@echo "make bench     speed beside peers"
	@echo "make lint      formatters, linters and types; make format: mend what can be"
	@echo "make sanitize  the tests with AddressSanitizer; make tsan: threads"
	@echo "make fuzz      hostile calls, rules, files and settings for 8 minutes; make soak: kills and full disks for 10"
	@echo "make constraints  renew the pins of constraints.txt, all but torch's"
	@echo "make clean     remove .venv and build"

# The venv is made anew when its Python is gone, and is not left half made; the package is installed in place, so only the engine's
# sources decide whether to build again.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "BoardLab needs Python 3.11 or later")'
	$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/installed: $(VENV)/bin/python $(ENGINE)
	$(PIP) install --quiet -c $(CONSTRAINTS) $(TOOLS)
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,plots]"
	touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(PIP) install --quiet -c $(CONSTRAINTS) --no-build-isolation -e ".[dev,az,bench,plots,references,truths]"
	touch $@

demo: $(VENV)/installed
	$(BIN)/python -m boardlab demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-all: $(VENV)/installed-bench
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or not slow"

bench: $(VENV)/installed-bench
	$(BIN)/python bench/playouts.py
	$(BIN)/python bench/search.py
	$(BIN)/python bench/training.py

# The engine's generated type stubs, where the type checker finds them.
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

# Seeded; SEED=n repeats a run, FOR=n how many seconds it takes. See CONTRIBUTING.md.
fuzz: $(VENV)/installed
	$(BIN)/python tools/fuzz.py --seconds $(or $(FOR),480) $(if $(SEED),--seed $(SEED))

soak: $(VENV)/installed
	$(BIN)/python tools/soak.py --seconds $(or $(FOR),600) $(if $(SEED),--seed $(SEED))

constraints: $(VENV)/installed
	$(BIN)/python tools/constraints.py

# ThreadSanitizer over a small program: a module under it cannot be loaded into an ordinary Python.
tsan:
	mkdir -p build
	$(CXX) -std=c++20 -O1 -g -fsanitize=thread -Wno-psabi -Iengine tools/threads_check.cpp engine/core/game.cpp engine/core/memory.cpp \
	  engine/games/connectfour.cpp $(addprefix engine/evaluators/,evaluator.cpp encoding.cpp) $(addprefix engine/search/,tree.cpp node_pool.cpp select.cpp value_scale.cpp proof.cpp rave.cpp gumbel.cpp hidden_worlds.cpp root_noise.cpp position_finder.cpp mcts.cpp forest.cpp search.cpp) \
	  $(addprefix engine/ntuple/,network.cpp after_states.cpp self_play.cpp replay.cpp td.cpp hogwild.cpp kernels.cpp kernels_baseline.cpp) \
	  -lpthread -o build/threads_check
	build/threads_check

clean:
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
