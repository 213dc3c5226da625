# syntax=docker/dockerfile:1
# The first stage builds weir and its Debian package; the second installs the package.
#
#   docker build -t weir .
#   docker run --rm -v "$PWD:/models" weir compile net.onnx -o net.so

FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
WORKDIR /weir
COPY . .
RUN .ci/setup.sh && .ci/build.sh && cd build/release && cpack -G DEB

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/weir/build/release,target=/packages \
    dpkg -i /packages/weir_*.deb
WORKDIR /models
ENTRYPOINT ["weir"]
CMD ["--help"]
