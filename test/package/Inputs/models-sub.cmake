weir_add_library(below MODEL net.onnx OPTIONS -O1 GEN_TEST)
