cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
enable_testing()
find_package(Weir REQUIRED)
weir_add_library(net MODEL net.onnx GEN_TEST
  TEST_ARGS --input=x=@x.npy --expect=y=@y.npy GEN_BENCHMARK)
weir_add_library(plain MODEL digits.pbtxt WEIGHTS file PREFIX other GEN_TEST GEN_BENCHMARK)
add_subdirectory(sub)
