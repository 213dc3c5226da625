// RUN: sed 's/LIBRARY/library = "cudnn"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-fuse-scalars,weir-lower-graph,weir-fuse-epilogues,weir-form-attention,weir-use-libraries))' | FileCheck %s
// RUN: sed 's/LIBRARY/library = "auto"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-fuse-scalars,weir-lower-graph,weir-fuse-epilogues,weir-form-attention,weir-use-libraries))' | FileCheck %s --check-prefix=AUTO
// RUN: sed 's/LIBRARY/library = "cublaslt"/' %s | weir-opt --split-input-file --pass-pipeline='builtin.module(func.func(weir-fuse-scalars,weir-lower-graph,weir-fuse-epilogues,weir-form-attention,weir-use-libraries))' | FileCheck %s --check-prefix=OTHER

// OTHER-NOT: weir.attention
// OTHER: kernel.attention
// OTHER-NOT: weir.attention
// OTHER: return

// The library reads the operands and writes the result in the order before the
// transposes. A mask that is common to all batches has strides of 0.
// CHECK-LABEL: func.func private @transposed
// CHECK-SAME: weir.attention = #weir.attention<batch = 2, heads = 12, rows = 1024, columns = 1024, depth = 64, width = 64, q = [786432, 64, 768], k = [786432, 64, 768], v = [786432, 64, 768], mask = [1024, 0, 0], out = [786432, 64, 768], scale = 1.250000e-01 : f64, dtype = f16, workspace = 1146880, operands = [0, 1, 3, 2]>
// AUTO-LABEL: func.func private @transposed
// AUTO-SAME: weir.attention
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @transposed(%q: tensor<2x1024x12x64xf16>, %k: tensor<2x1024x12x64xf16>, %m: tensor<2x1x1x1024xf16>, %v: tensor<2x1024x12x64xf16>) -> tensor<2x1024x12x64xf16> attributes {weir.kernel} {
    %c = graph.constant dense<1.250000e-01> : tensor<2x12x1024x1024xf16>
    %0 = graph.transpose %q [0, 2, 1, 3] : tensor<2x1024x12x64xf16>
    %1 = graph.transpose %k [0, 2, 1, 3] : tensor<2x1024x12x64xf16>
    %2 = graph.matmul %0, %1 transpose_b : tensor<2x12x1024x64xf16>, tensor<2x12x1024x64xf16>
    %3 = graph.mul %2, %c : tensor<2x12x1024x1024xf16>
    %4 = graph.broadcast %m [0, 1, 2, 3] : tensor<2x1x1x1024xf16> to tensor<2x12x1024x1024xf16>
    %5 = graph.add %3, %4 : tensor<2x12x1024x1024xf16>
    %6 = graph.softmax %5 : tensor<2x12x1024x1024xf16>
    %7 = graph.transpose %v [0, 2, 1, 3] : tensor<2x1024x12x64xf16>
    %8 = graph.matmul %6, %7 : tensor<2x12x1024x1024xf16>, tensor<2x12x1024x64xf16>
    %9 = graph.transpose %8 [0, 2, 1, 3] : tensor<2x12x1024x64xf16>
    return %9 : tensor<2x1024x12x64xf16>
  }
}

// -----

// Missing dimensions have a size of one. A divisor of the scores is a scale, too, and a
// mask may have any dimensions of the scores. By estimated time, small attentions stay.
// CHECK-LABEL: func.func private @heads
// CHECK-SAME: weir.attention = #weir.attention<batch = 4, heads = 1, rows = 33, columns = 35, depth = 8, width = 24, q = [264, 1056, 8], k = [280, 1120, 8], v = [840, 3360, 24], mask = [0, 0, 35], out = [792, 3168, 24], scale = 2.500000e-01 : f64, dtype = bf16, workspace = 1049104, operands = [0, 1, 2, 3]>
// CHECK-LABEL: func.func private @alone
// CHECK-SAME: weir.attention = #weir.attention<batch = 1, heads = 1, rows = 32, columns = 40, depth = 8, width = 8, q = [256, 256, 8], k = [320, 320, 8], v = [320, 320, 8], out = [256, 256, 8], scale = 1.000000e+00 : f64, dtype = f16, workspace = 1048704, operands = [0, 1, 1, -1]>
// AUTO-LABEL: func.func private @heads
// AUTO-NOT: weir.attention
// AUTO: kernel.attention
// AUTO-NOT: weir.attention
// AUTO: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @heads(%q: tensor<4x33x8xbf16>, %k: tensor<4x35x8xbf16>, %v: tensor<4x35x24xbf16>, %m: tensor<33x35xbf16>) -> tensor<4x33x24xbf16> attributes {weir.kernel} {
    %c = graph.constant dense<4.000000e+00> : tensor<4x33x35xbf16>
    %0 = graph.matmul %q, %k transpose_b : tensor<4x33x8xbf16>, tensor<4x35x8xbf16>
    %1 = graph.div %0, %c : tensor<4x33x35xbf16>
    %2 = graph.broadcast %m [1, 2] : tensor<33x35xbf16> to tensor<4x33x35xbf16>
    %3 = graph.add %2, %1 : tensor<4x33x35xbf16>
    %4 = graph.softmax %3 : tensor<4x33x35xbf16>
    %5 = graph.matmul %4, %v : tensor<4x33x35xbf16>, tensor<4x35x24xbf16>
    return %5 : tensor<4x33x24xbf16>
  }
  func.func private @alone(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf16>, tensor<40x8xf16>
    %1 = graph.softmax %0 : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x8xf16>
    return %2 : tensor<32x8xf16>
  }
}

// -----

// These attentions stay: f32, heads without elements or not a multiple of 8, and
// columns of k with gaps. Other functions of the scores stay, too. So do a scale that
// is no float or is of masked scores, and a further epilogue.
// CHECK-NOT: weir.attention
// CHECK: kernel.attention
// CHECK-NOT: weir.attention
// CHECK: return
module attributes {weir.gpu = #weir.gpu<LIBRARY>} {
  func.func private @floats(%q: tensor<32x8xf32>, %k: tensor<40x8xf32>) -> tensor<32x8xf32> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf32>, tensor<40x8xf32>
    %1 = graph.softmax %0 : tensor<32x40xf32>
    %2 = graph.matmul %1, %k : tensor<32x40xf32>, tensor<40x8xf32>
    return %2 : tensor<32x8xf32>
  }
  func.func private @narrow(%q: tensor<32x12xf16>, %k: tensor<40x12xf16>) -> tensor<32x12xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<32x12xf16>, tensor<40x12xf16>
    %1 = graph.softmax %0 : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x12xf16>
    return %2 : tensor<32x12xf16>
  }
  func.func private @empty(%q: tensor<1x1x32x0xf16>, %k: tensor<1x1x40x0xf16>, %v: tensor<1x1x40x8xf16>) -> tensor<1x1x32x8xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<1x1x32x0xf16>, tensor<1x1x40x0xf16>
    %1 = graph.softmax %0 : tensor<1x1x32x40xf16>
    %2 = graph.matmul %1, %v : tensor<1x1x32x40xf16>, tensor<1x1x40x8xf16>
    return %2 : tensor<1x1x32x8xf16>
  }
  func.func private @apart(%q: tensor<32x8xf16>, %k: tensor<8x40xf16>, %v: tensor<40x8xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k : tensor<32x8xf16>, tensor<8x40xf16>
    %1 = graph.softmax %0 : tensor<32x40xf16>
    %2 = graph.matmul %1, %v : tensor<32x40xf16>, tensor<40x8xf16>
    return %2 : tensor<32x8xf16>
  }
  func.func private @other(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf16>, tensor<40x8xf16>
    %t = graph.tanh %0 : tensor<32x40xf16>
    %1 = graph.softmax %t : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x8xf16>
    return %2 : tensor<32x8xf16>
  }
  func.func private @infinite(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %c = graph.constant dense<0.000000e+00> : tensor<32x40xf16>
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf16>, tensor<40x8xf16>
    %s = graph.div %0, %c : tensor<32x40xf16>
    %1 = graph.softmax %s : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x8xf16>
    return %2 : tensor<32x8xf16>
  }
  func.func private @scaled(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>, %m: tensor<32x40xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %c = graph.constant dense<1.250000e-01> : tensor<32x40xf16>
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf16>, tensor<40x8xf16>
    %a = graph.add %0, %m : tensor<32x40xf16>
    %s = graph.mul %a, %c : tensor<32x40xf16>
    %1 = graph.softmax %s : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x8xf16>
    return %2 : tensor<32x8xf16>
  }
  func.func private @masked(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf16>, tensor<40x8xf16>
    %1 = graph.softmax %0 masked : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x8xf16>
    return %2 : tensor<32x8xf16>
  }
  func.func private @behind(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>, %m: tensor<32x8xf16>) -> tensor<32x8xf16> attributes {weir.kernel} {
    %0 = graph.matmul %q, %k transpose_b : tensor<32x8xf16>, tensor<40x8xf16>
    %1 = graph.softmax %0 : tensor<32x40xf16>
    %2 = graph.matmul %1, %k : tensor<32x40xf16>, tensor<40x8xf16>
    %3 = graph.add %2, %m : tensor<32x8xf16>
    return %3 : tensor<32x8xf16>
  }
}
