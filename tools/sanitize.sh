#!/usr/bin/env bash
# Build the engine with AddressSanitizer and UndefinedBehaviorSanitizer and run the tests on it.
#
#   tools/sanitize.sh [pytest arguments]        PYTHON, CXX: replace .venv/bin/python and c++
#
# Everything is in build/sanitize: the package (site), the build, a copy of the tests. The copy is necessary: from the
# source tree, Python would import the package next to the tests instead of the sanitized one.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(command -v "${PYTHON:-.venv/bin/python}")
[[ $python == /* ]] || python=$PWD/$python
home=$PWD/build/sanitize

CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-2} "$python" -m pip install \
  --quiet --no-build-isolation --no-deps --upgrade --target "$home/site" \
  --config-settings=build-dir="$home/cmake" --config-settings=cmake.define.BOARDLAB_SANITIZE=ON \
  --config-settings=cmake.define.BOARDLAB_WERROR=ON .
rm -rf "$home/engine" "$home/tests" "$home/docs" "$home/examples" "$home/bench" "$home/tools"
cp -R engine tests docs examples bench tools *.md pyproject.toml "$home/"

# An editable install of the package puts its own finder before the path, where it would win over site/. Tests that
# start other interpreters inherit this with the environment.
cat >"$home/site/sitecustomize.py" <<'EOF'
import sys

sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
EOF

# The sanitizer's runtime must be loaded first, with libstdc++, or it misses exceptions.
runtime() { "${CXX:-c++}" -print-file-name="$1"; }
export LD_PRELOAD="$(runtime libasan.so) $(runtime libstdc++.so.6)"
export PYTHONPATH=$home/site PYTHONMALLOC=malloc
# Python frees some memory only at exit; a huge request must be refused, not stop the process.
# Use after return stays unwatched: GCC before 12.4 and 13.3 misaligns 64-byte vectors on its false stack (its bug 110027).
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1

cd "$home"
"$python" -c 'import boardlab; assert "sanitize/site" in boardlab._engine.__file__, boardlab._engine.__file__'
exec "$python" -m pytest -p no:cacheprovider "$@"
