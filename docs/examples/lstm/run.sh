#!/bin/bash
# run.sh [BIN [OUT]]: trains an LSTM on the characters of log.txt, compiles it with its
# state inside, prints the perplexity of held-out lines and continues a text. BIN is the
# folder of the weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/lstm}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$bin/../python
run /usr/bin/python3 "$here/model.py" data "$here/log.txt" .

# The step that trains, on 32 pieces of 64 characters.
run /usr/bin/python3 "$here/model.py" write letters.txt train.onnx.txt
run "$bin/weir" compile train.onnx.txt -o train.so --shape=ids=32x64 \
  --train-vars=. --freeze='^c[0-9]' \
  --loss=sparse_softmax_cross_entropy:logits --optimizer=Adam:lr=0.005
run "$bin/weir-run" train.so --train --data=tokens.npy,next.npy --epochs=6 \
  --shuffle=1 --save=log.ckpt

# The trained model, for one character a run. The context keeps h and c between runs.
run /usr/bin/python3 "$here/model.py" write letters.txt log.onnx.txt ./train.so log.ckpt
run "$bin/weir" compile log.onnx.txt -o liblog.a --prefix=log --header=log.h \
  --dim=batch=1 --dim=length=1 --state=h=next_h,c=next_c
run cc -O2 -I. "$here/main.c" liblog.a -lm -o lstm
run ./lstm perplexity letters.txt held-out.txt
run ./lstm generate letters.txt "monday. the wind "
run ./lstm generate letters.txt "monday. the wind " 0.5 7
