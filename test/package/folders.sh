#!/bin/bash
# folders.sh OTHER: checks that the folder of a build is not in its files. The script
# clones the repository to OTHER, builds a part of it there without ccache, and compares
# it with build/release. It takes minutes, and the other tests of this folder do not
# call it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
other=$1
targets=(bin/weir-run python/weir/_weir.abi3.so compiler/import/onnx/proto/libweir_onnx_proto.a
  dialects/math/libweir_math.a runtime/device.bc runtime/sim-x86_64.bc)
for arch in x86_64 aarch64; do
  targets+=("runtime/runtime-$arch.bc" "runtime/cuda-$arch.bc" "runtime/state-$arch.bc")
done
[[ -d $other ]] || git clone --quiet "$root" "$other"
for folder in "$other" "$root"; do
  (cd "$folder" && cmake --preset release >/dev/null &&
    CCACHE_DISABLE=1 cmake --build --preset release --target "${targets[@]}")
done
for target in "${targets[@]}"; do
  cmp "$other/build/release/$target" "$root/build/release/$target"
  echo "equal: $target"
done
