#!/bin/bash
# build.sh [PRESET]: configures and builds; `release` unless told otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
