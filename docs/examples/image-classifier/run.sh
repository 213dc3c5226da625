#!/bin/bash
# run.sh [BIN [OUT]]: makes pictures of shapes, trains a convolutional net with them,
# compiles the trained net to a C++ library, and classifies held-out pictures. BIN is
# the folder of the weir tools, OUT the folder of the products. Needs numpy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$(realpath "${1:-$root/build/release/bin}")
out=${2:-$root/build/image-classifier}
mkdir -p "$out"
cd "$out"

run() {
  echo "\$ ${*//$root\//}"
  "$@"
}
export PYTHONDONTWRITEBYTECODE=1
run /usr/bin/python3 "$here/pictures.py" .
run /usr/bin/python3 "$here/net.py" train.pbtxt --training
run /usr/bin/python3 "$here/net.py" serve.pbtxt

# Each step also moves the averages of batch normalization.
run "$bin/weir" compile train.pbtxt -o train.so --shape=image=64x32x32x1 \
  --loss=sparse_softmax_cross_entropy:probabilities --optimizer=Adam:lr=0.002 \
  --target-node=move_averages
run "$bin/weir-run" train.so --train --data=images.npy,labels.npy --epochs=8 \
  --shuffle=1 --save=shapes.ckpt

# The trained net, for one picture at a time.
run "$bin/weir" compile serve.pbtxt -o libshapes.a --header=shapes.h \
  --cpp-class=shapes::Classifier --fetch=probabilities --shape=image=1x32x32x1 \
  --checkpoint=shapes.ckpt
run c++ -std=c++17 -O2 -I. "$here/classify.cpp" libshapes.a -lm -o classify
run ./classify held-out/cross-002.pgm
echo "\$ ./classify held-out/*.pgm"
./classify held-out/*.pgm
