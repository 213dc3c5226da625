#!/bin/bash
# run.sh [BIN [OUT]]: installs weir beside OUT, configures the project here with it,
# and builds and runs that. BIN is where weir is, in its build folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/cmake-example}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
run cmake --install "$(dirname "$bin")" --prefix "$PWD/weir"
run cmake -S "$here" -B app -DCMAKE_PREFIX_PATH="$PWD/weir"
run cmake --build app
run ./app/digits
