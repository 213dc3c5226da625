#!/bin/bash
# run.sh [BIN [OUT]]: compiles net.onnx.txt, which has an operator that weir lacks. A C
# function computes it on one and on two threads, then a function of other operators
# defines it. BIN is the folder of the weir tools, OUT the folder of the products.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/custom}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
run cc -O2 -fPIC -I"$root/runtime" -c "$here/swish.c" -o swish.o
run "$bin/weir" compile "$here/net.onnx.txt" -o net.so --custom-object=swish.o \
  --custom-op=com.example::Swish=my_swish,shape=0,parts=2
x=4x2xf32=1,2,-1,0.5,0,3,-2,-2
run "$bin/weir-run" net.so --input=x=$x
run "$bin/weir-run" net.so --input=x=$x --threads=2
run "$bin/weir" compile "$here/net.onnx.txt" -o same.so --ops="$here/swish.onnx.txt"
run "$bin/weir-run" same.so --input=x=$x
