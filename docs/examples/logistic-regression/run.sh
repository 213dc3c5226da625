#!/bin/bash
# run.sh [BIN [OUT]]: compiles logistic.pbtxt with a loss, an optimizer and gradients;
# fits it from Python; compiles the fitted model for one point. BIN is the folder of
# the weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/logistic-regression}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
run "$bin/weir" compile "$here/logistic.pbtxt" -o fit.so --shape=x=500x3 \
  --loss=sigmoid_cross_entropy:probability --optimizer=GradientDescent:lr=2 \
  --grad=loss:W,b
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$bin/../python
run /usr/bin/python3 "$here/fit.py" fit.so logistic.ckpt

# The fitted model, for one point at a time.
run "$bin/weir" compile "$here/logistic.pbtxt" -o logistic.so --shape=x=1x3 \
  --checkpoint=logistic.ckpt
run "$bin/weir-run" logistic.so --input=x=1,-1,0.5
