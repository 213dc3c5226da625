#!/bin/bash
# Installs what weir is built and tested with, on Debian 12 or later. Does
# nothing where all of it is there.
set -euo pipefail

packages=(
  # the compiler's own libraries, and the tools of its tests
  llvm-19-dev llvm-19-tools libmlir-19-dev mlir-19-tools liblld-19-dev libpolly-19-dev
  protobuf-compiler libprotobuf-dev
  # what those link
  zlib1g-dev libzstd-dev libz3-dev libcurl4-openssl-dev libedit-dev libxml2-dev
  # what builds it
  clang-19 libclang-rt-19-dev lld-19 g++ binutils cmake ninja-build ccache
  # what the tests and the formatter run
  python3 python3-numpy python3-protobuf clang-format-19 pkgconf
  # what builds the website of the documentation
  mkdocs mkdocs-material
  # what makes packages, checks them and installs them in a root of its own
  dpkg-dev zstd lintian debootstrap
  # the Python package: its extension, the wheel, and the environment that tests it
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
