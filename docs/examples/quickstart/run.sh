#!/bin/bash
# run.sh [BIN [OUT]]: compiles digits.pbtxt to a C library, links main.c with it
# and runs the program. BIN is the folder of the weir tools, OUT the folder of the
# products.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/quickstart}
mkdir -p "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
run "$bin/weir" compile "$here/digits.pbtxt" -o "$out/libdigits.a" --header="$out/digits.h"
run cc -O2 -I"$out" "$here/main.c" "$out/libdigits.a" -lm -o "$out/digits"
run "$out/digits"
