#!/bin/bash
# run.sh [BIN [OUT]]: makes sentences, trains vectors of their words, compiles the search
# for the nearest words to a C library, and links near.c with it. BIN is the folder of the
# weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/word2vec}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
export PYTHONDONTWRITEBYTECODE=1
run /usr/bin/python3 "$here/corpus.py" .
run /usr/bin/python3 "$here/net.py" words.txt word2vec.pbtxt

# The loss is a tensor of the graph. A step takes 256 pairs of words.
run "$bin/weir" compile word2vec.pbtxt -o train.so --fetch=loss --loss=loss \
  --shape=center=256 --shape=context=256 --shape=noise=256x5 --optimizer=Adam:lr=0.01
run "$bin/weir-run" train.so --train --data=center.npy,context.npy,noise.npy \
  --epochs=5 --shuffle=1 --save=words.ckpt

# The search of the nearest words, with the trained vectors.
run "$bin/weir" compile word2vec.pbtxt -o libwords.a --header=words.h \
  --fetch=neighbours --fetch=similarities --checkpoint=words.ckpt
run cc -O2 -I. "$here/near.c" libwords.a -lm -o near
run ./near words.txt cat tea sailor monday green market
