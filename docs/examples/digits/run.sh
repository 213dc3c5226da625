#!/bin/bash
# run.sh [BIN [OUT]]: makes pictures of digits, trains digits.pbtxt with them, and
# compiles the trained net to a C library for a static program. BIN is the folder of
# the weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/digits}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
export PYTHONDONTWRITEBYTECODE=1
run /usr/bin/python3 "$here/data.py" .

# The step that trains, on batches of 64.
run "$bin/weir" compile "$here/digits.pbtxt" -o training.so --threads=2 \
  --shape=image=64x16x16x1 --init=he_normal:seed=1 \
  --loss=sparse_softmax_cross_entropy:probabilities --optimizer=Adam:lr=0.002
run "$bin/weir-run" training.so --train --data=images.npy,labels.npy \
  --epochs=5 --shuffle=1 --metrics=loss.jsonl --save=digits.ckpt

# The trained net, for one picture a run.
run "$bin/weir" compile "$here/digits.pbtxt" -o libdigits.a --header=digits.h \
  --shape=image=1x16x16x1 --checkpoint=digits.ckpt
run cc -O2 -static -I. "$here/serve.c" libdigits.a -lm -o serve
run ./serve test.images test.labels
