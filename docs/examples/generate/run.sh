#!/bin/bash
# run.sh [BIN [OUT [EPOCHS]]]: trains a language model of characters on the pages below
# docs/, and compiles it to a static program that continues a text token by token.
# BIN is the folder of the weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/generate}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$bin/../python
mapfile -t pages < <(find "$root/docs" -name '*.md' | LC_ALL=C sort)
echo "\$ docs/examples/generate/decoder.py data docs/**/*.md -o ."
/usr/bin/python3 "$here/decoder.py" data "${pages[@]}" -o .

# The step that trains, on 16 pieces of 128 characters.
run /usr/bin/python3 "$here/decoder.py" train train.onnx.txt
run "$bin/weir" compile train.onnx.txt -o training.so --threads=2 \
  --shape=ids=16x128 --train-vars=. --freeze='^c[0-9]' \
  --loss=sparse_softmax_cross_entropy:logits --optimizer=Adam:lr=0.003
run "$bin/weir-run" training.so --train --data=tokens.npy,next.npy \
  --epochs="${3:-8}" --shuffle=1 --save=text.ckpt

# The trained model, with a cache of keys and values that stays in the context. One
# function takes a prompt of up to 64 tokens, another a single token.
run /usr/bin/python3 "$here/decoder.py" export ./training.so text.ckpt decoder.onnx.txt
states=()
for layer in 0 1 2; do
  for kind in key value; do
    states+=("--state=past.$layer.$kind=present.$layer.$kind")
  done
done
run "$bin/weir" compile decoder.onnx.txt -o libtext.a --prefix=text --header=text.h \
  "${states[@]}" --dim=length=1..64 --dim=past=0..64 \
  --variant=step:length=1,past=0..127
run cc -O2 -static -I. "$here/main.c" libtext.a -lm -o generate
run ./generate "The compiler "
