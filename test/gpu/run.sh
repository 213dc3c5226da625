#!/bin/bash
# Runs weir's GPU suite and its benchmark beside other engines, on a machine with an
# NVIDIA GPU and without a build of weir.
#
#   test/gpu/pack.py build/gpu          where weir is built
#   test/gpu/run.sh build/gpu [SECONDS] where the GPU is: the driver, Python with
#                                       NumPy and, for the peers, PyTorch and JAX
#
# Results go to OUT (default: PACK/out), and a page of them to OUT/performance-gpu.md. Where
# the suite is right they also replace docs/results/gpu-h100.json. SECONDS bounds the
# whole (default: 500). Exits with 1 if a model of the suite is wrong or the profile fails.
set -u
here=$(cd "$(dirname "$0")" && pwd)
pack=$(cd "${1:?the folder that pack.py wrote}" && pwd)
seconds=${2:-500}
out=${OUT:-$pack/out}
python=${PYTHON:-python3}
mkdir -p "$out"
rm -f "$out"/*.jsonl "$out"/reference-*.npy "$out"/suite.json
begin=$SECONDS
left() { echo $((seconds - (SECONDS - begin))); }

# Engines from wheels bring their own libraries, which they find themselves.
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null

timeout "$(left)" "$python" "$here/check.py" "$pack" "$out" | tee "$out/suite.txt"
failed=${PIPESTATUS[0]}
# The table of a profile goes to OUT/profile.txt, and the trace of its runs to OUT/trace.json.
if [ -x "$pack/profile/program" ]; then
  timeout "$(left)" "$pack/profile/program" --random=1 --warmup=10 --repeat=100 --profile \
    --trace="$out/trace.json" | tee "$out/profile.txt"
  [ "${PIPESTATUS[0]}" = 0 ] || failed=1
fi
# weir runs first: other engines may use the remaining time, torch.compile the most.
for part in "weir 30" "eager 25" "jax 40" "compiled 90"; do
  read -r engine percent <<<"$part"
  share=$(($(left) * percent / 100))
  [ "$share" -gt 5 ] || continue
  timeout $((share + 20)) "$python" "$here/measure.py" "$engine" "$pack" "$out" "$share" \
    2>"$out/$engine.err" | tee "$out/$engine.txt"
done
rm -f "$out"/reference-*.npy
"$python" "$here/report.py" "$out" "$out/performance-gpu.md"
if [ "$failed" = 0 ] && ! grep -q '"tiny": true' "$pack/pack.json"; then
  "$python" "$here/report.py" "$out" "$here/../../docs/results/gpu-h100.json" >/dev/null
fi
exit "$failed"
