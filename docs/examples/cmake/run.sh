#!/bin/bash
# run.sh [BIN [OUT]]: installs weir in OUT, configures the CMake project of this folder
# with it, and builds and runs the program. BIN is the folder of the weir tools, in
# weir's build folder. OUT is the folder of the products.
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
