cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C CXX)
enable_testing()
find_package(Weir REQUIRED)
weir_add_library(net MODEL net.onnx GEN_TEST
  TEST_ARGS --input=x=@x.npy --expect=y=@y.npy GEN_BENCHMARK)
weir_add_library(plain MODEL digits.pbtxt WEIGHTS file PREFIX other GEN_TEST GEN_BENCHMARK)
# A prefix that is no C identifier, and a model without weights.
weir_add_library(my-net MODEL relu.onnx WEIGHTS file CPP_HEADER GEN_TEST GEN_BENCHMARK)
add_executable(cpp cpp.cpp)
target_link_libraries(cpp PRIVATE my-net)
target_compile_features(cpp PRIVATE cxx_std_17)
add_subdirectory(sub)
