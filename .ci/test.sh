#!/bin/bash
# test.sh [PRESET]: runs every test of a build; `release` unless told otherwise.
# The last line says how many passed and failed.
set -uo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
results=build/$preset/test/results.json
rm -f "$results"
ctest --preset "$preset"
status=$?
/usr/bin/python3 test/summary.py "$results" || status=1
exit $status
