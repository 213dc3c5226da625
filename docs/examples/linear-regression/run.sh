#!/bin/bash
# run.sh [BIN [OUT]]: compiles line.pbtxt, a forward graph, with a loss and an
# optimizer, and links main.c with it, which trains. BIN is the folder of the weir
# tools, OUT the folder of the products.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/linear-regression}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
run "$bin/weir" compile "$here/line.pbtxt" -o libline.a --header=line.h \
  --loss=mean_squared_error:y --optimizer=GradientDescent:lr=0.5
run cc -O2 -I. "$here/main.c" libline.a -lm -o line
run ./line
