#!/bin/sh
# kernels.sh FOLDER MODEL FLAG...: makes FOLDER/kernels.so, for WEIR_CUDA_KERNELS, of
# the kernels that a model has beside library calls. The simulator has no libraries: the
# model is compiled for a GPU until its kernels are known, and for the simulator from
# there on.
set -e
folder=$1 model=$2
shift 2
mkdir -p "$folder"
weir compile "$model" --gpu=cuda "$@" --stop-after=lower -o "$folder/lower.mlir"
sed 's/#weir.gpu</#weir.gpu<kind = "sim", /' "$folder/lower.mlir" |
  weir-opt --weir-stage-bufferize-gpu --weir-stage-schedule-gpu --weir-stage-cpu-gpu --weir-stage-gpu --weir-stage-plan-gpu \
    --weir-stage-loops-gpu --weir-stage-launch --weir-stage-convert-gpu --weir-stage-entry-gpu -o "$folder/sim.mlir"
weir-emit "$folder/sim.mlir" -O0 -o "$folder/kernels.ll"
sed -i 's/^define internal \(.*@weir_gpu_launch(\)/define \1/' "$folder/kernels.ll"
llc -O1 -filetype=obj -relocation-model=pic "$folder/kernels.ll" -o "$folder/kernels.o"
# The runtime calls these functions; the kernels here are never reached.
echo 'int weir_gpu_convolve(void) { return -1; } int weir_gpu_multiply(void) { return -1; } int weir_gpu_attend(void) { return -1; }' \
  > "$folder/none.c"
cc -shared -fPIC "$folder/kernels.o" "$folder/none.c" -lm -o "$folder/kernels.so"
