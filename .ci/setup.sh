#!/bin/bash
# Installs the packages that builds and tests of weir need, on Debian 12 or later.
# The script does nothing if all of them are there.
set -euo pipefail

packages=(
  # The compiler links these libraries, and its tests run these tools.
  llvm-19-dev llvm-19-tools libmlir-19-dev mlir-19-tools liblld-19-dev libpolly-19-dev
  protobuf-compiler libprotobuf-dev
  # The libraries above link these.
  zlib1g-dev libzstd-dev libz3-dev libcurl4-openssl-dev libedit-dev libxml2-dev
  # These tools build weir.
  clang-19 libclang-rt-19-dev lld-19 g++ binutils cmake ninja-build ccache
  # The tests and the formatter run these.
  python3 python3-numpy python3-onnx python3-protobuf clang-format-19 pkgconf
  # These build the website of the documentation.
  mkdocs mkdocs-material
  # The browser runs the page of --report.
  chromium chromium-driver
  # With these, the tests make packages, check them and install them in fresh roots.
  dpkg-dev zstd lintian debootstrap
  # Ranks exchange messages by MPI in the tests.
  openmpi-bin libopenmpi-dev mpich libmpich-dev
  # SimGrid simulates hundreds of ranks.
  libsimgrid-dev
  # The Python package needs these for its extension, its wheel and its tests.
  python3-dev python3-setuptools python3-wheel python3-venv
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [[ $state == ii* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

root=()
if [[ $(id -u) != 0 ]]; then
  root=(sudo)
fi
echo "installing: ${missing[*]}"
"${root[@]}" apt-get update -q
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
