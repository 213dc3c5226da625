#!/bin/bash
# run.sh [BIN [OUT]]: trains an encoder and a decoder with attention to read dates,
# compiles each of them, and reads held-out dates from Python. BIN is the folder of the
# weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/seq2seq}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$bin/../python

# The step that trains, on 64 dates.
run /usr/bin/python3 "$here/model.py" train .
run "$bin/weir" compile train.onnx.txt -o train.so --dim=batch=64 \
  --train-vars=. --freeze='^c[0-9]' \
  --loss=sparse_softmax_cross_entropy:logits --optimizer=Adam:lr=0.003
run "$bin/weir-run" train.so --train --data=source.npy,previous.npy,target.npy \
  --epochs=4 --shuffle=1 --save=dates.ckpt

# The trained parts, for up to 64 dates. The decoder predicts one character a run.
run /usr/bin/python3 "$here/model.py" export . ./train.so dates.ckpt
run "$bin/weir" compile encoder.onnx.txt -o encoder.so --dim=batch=1..64
run "$bin/weir" compile decoder.onnx.txt -o decoder.so --dim=batch=1..64
run /usr/bin/python3 "$here/translate.py" encoder.so decoder.so
run /usr/bin/python3 "$here/translate.py" encoder.so decoder.so \
  "thursday, 14 march 1991" "7.11.2026"
