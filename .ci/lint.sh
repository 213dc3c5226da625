#!/bin/bash
# lint.sh [--tidy]: formatting of every source of C and C++ (definitions for TableGen
# are formatted by hand, as their examples are), and the house tests; --tidy also
# runs clang-tidy-19 (Debian's package of that name) on what changed since main.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
git ls-files -z '*.cpp' '*.h' '*.c' |
  xargs -0 clang-format-19 --dry-run --Werror || status=1
/usr/bin/python3 test/house/house.py . || status=1
/usr/bin/python3 test/house/words.py . || status=1
if [[ ${1:-} == --tidy ]]; then
  git diff --name-only --diff-filter=d main -- '*.cpp' |
    xargs -r -n 1 clang-tidy-19 -p build/dev --quiet || status=1
fi
exit $status
