// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Sixteen registers hold the twelve sums of a tile, one row of the panel and little
// else. Fences make LLVM load the next row only at its use, and keep the spilled
// partial sums of the second part of the depth in memory.
// CHECK-LABEL: func @few
// CHECK: %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<12x8xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load {{.*}} : memref<1x192x16xf32>, vector<8xf32>
// CHECK-COUNT-12: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.load {{.*}} : memref<1x192x16xf32>, vector<8xf32>
// CHECK: vector.store %{{.*}}, %[[STACK]]
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[STACK]]
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[AT]]
// CHECK: llvm.inline_asm has_side_effects "", "r,~{memory}" %[[ADDRESS]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load %[[STACK]]
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @few(%a: memref<6x192xf32>, %b: memref<1x192x16xf32>, %c: memref<6x16xf32>) {
    kernel.matmul ins(%a, %b : memref<6x192xf32>, memref<1x192x16xf32>) layout <panels(16)> outs(%c : memref<6x16xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// With 32 registers no fence is necessary.
// CHECK-LABEL: func @many
// CHECK-NOT: llvm.inline_asm
// CHECK: return
module attributes {weir.target = #weir.target<>} {
  func.func @many(%a: memref<6x192xf32>, %b: memref<1x192x32xf32>, %c: memref<6x32xf32>) {
    kernel.matmul ins(%a, %b : memref<6x192xf32>, memref<1x192x32xf32>) layout <panels(32)> outs(%c : memref<6x32xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// L1 holds 512 rows of a panel, so the next panel is fetched into L2. L2 holds only few
// rows of A with a depth of 4096. So all panels multiply the first part of the depth of
// many rows before the next part.
// CHECK-LABEL: func @deep
// CHECK: scf.for %{{.*}} = %c0 to %c3584 step %c512
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.prefetch {{.*}}, read, locality<2>, data : memref<64x4096x16xf32>
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @deep(%a: memref<96x4096xf32>, %b: memref<64x4096x16xf32>, %c: memref<96x1024xf32>) {
    kernel.matmul ins(%a, %b : memref<96x4096xf32>, memref<64x4096x16xf32>) layout <panels(16)> outs(%c : memref<96x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A row of the window has 21 terms: three groups of seven. The sums of four rows of the
// window are spilled before those of the last three.
// CHECK-LABEL: func @window
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args
// CHECK: scf.for %{{.*}} = %c0 to %c21 step %c7
// CHECK-COUNT-10: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c4 to %c7 step %c1 iter_args
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @window(%x: memref<1x20x20x3xf32>, %w: memref<1x7x7x3x16xf32>, %y: memref<1x14x14x16xf32>) {
    kernel.convolution ins(%x, %w : memref<1x20x20x3xf32>, memref<1x7x7x3x16xf32>) layout <panels(16)> outs(%y : memref<1x14x14x16xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A depth of 64 channels is one sum and has no spilled partial sums.
// CHECK-LABEL: func @winograd
// CHECK-NOT: memref.alloca
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8 iter_args
// CHECK-NOT: memref.alloca
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @winograd(%x: memref<1x16x16x64xf32>, %w: memref<1x16x64x16xf32>, %y: memref<1x16x16x16xf32>) {
    kernel.winograd ins(%x, %w : memref<1x16x16x64xf32>, memref<1x16x64x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x16x16x16xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The sums are stored to the stack, and the epilogue loads two of them at a time.
// CHECK-LABEL: func @epilogue
// CHECK: %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<12x8xf32>
// CHECK-COUNT-12: vector.store %{{.*}}, %[[STACK]]
// CHECK: llvm.inline_asm has_side_effects "", "r,~{memory}"
// CHECK-COUNT-2: vector.load %[[STACK]]
// CHECK-NOT: vector.load %[[STACK]]
// CHECK-COUNT-2: math.erf
// CHECK: vector.store
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"
// CHECK: vector.load %[[STACK]]
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @epilogue(%a: memref<6x64xf32>, %b: memref<1x64x16xf32>, %c: memref<6x16xf32>) {
    kernel.matmul ins(%a, %b : memref<6x64xf32>, memref<1x64x16xf32>) layout <panels(16)> outs(%c : memref<6x16xf32>) {
    ^bb0(%sum: f32):
      %half = arith.constant 0.5 : f32
      %0 = arith.mulf %sum, %half : f32
      %1 = math.erf %0 : f32
      %2 = arith.addf %1, %half : f32
      %3 = arith.mulf %2, %half : f32
      %4 = arith.mulf %3, %sum : f32
      %5 = arith.addf %4, %half : f32
      %6 = arith.maximumf %5, %half : f32
      kernel.yield %6 : f32
    }
    return
  }
}

// -----

// A loop with two iterations is unrolled.
// CHECK-LABEL: func @twice
// CHECK-NOT: iter_args
// CHECK-COUNT-96: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK-COUNT-96: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @twice(%a: memref<6x16xf32>, %b: memref<1x16x16xf32>, %c: memref<6x16xf32>) {
    kernel.matmul ins(%a, %b : memref<6x16xf32>, memref<1x16x16xf32>) layout <panels(16)> outs(%c : memref<6x16xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The loop over the 16 channels of a pixel is unrolled, too.
// CHECK-LABEL: func @pixel
// CHECK-NOT: iter_args
// CHECK-COUNT-160: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @pixel(%x: memref<1x1x5x16xf32>, %w: memref<1x1x1x16x16xf32>, %y: memref<1x1x5x16xf32>) {
    kernel.convolution ins(%x, %w : memref<1x1x5x16xf32>, memref<1x1x1x16x16xf32>) layout <panels(16)> outs(%y : memref<1x1x5x16xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A target with many registers keeps a loop of two iterations.
// CHECK-LABEL: func @loops
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c8 iter_args
// CHECK: return
module attributes {weir.target = #weir.target<>} {
  func.func @loops(%a: memref<6x16xf32>, %b: memref<1x16x32xf32>, %c: memref<6x32xf32>) {
    kernel.matmul ins(%a, %b : memref<6x16xf32>, memref<1x16x32xf32>) layout <panels(32)> outs(%c : memref<6x32xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// L2 holds all 256 columns between two blocks of rows, so only the result is
// prefetched.
// CHECK-LABEL: func @stays
// CHECK-NOT: memref.prefetch %arg1
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK-COUNT-6: memref.prefetch %[[TILE]]
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @stays(%a: memref<3072x64xf32>, %b: memref<16x64x16xf32>, %c: memref<3072x256xf32>) {
    kernel.matmul ins(%a, %b : memref<3072x64xf32>, memref<16x64x16xf32>) layout <panels(16)> outs(%c : memref<3072x256xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Without a fence on the image, LLVM would keep the pixels that windows share in more
// registers than there are.
// CHECK-LABEL: func @shares
// CHECK: %[[IMAGE:.*]] = memref.collapse_shape %arg0
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[IMAGE]]
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[AT]]
// CHECK: llvm.inline_asm has_side_effects "", "r,~{memory}" %[[ADDRESS]]
// CHECK: vector.fma
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @shares(%x: memref<1x21x21x3xf32>, %w: memref<1x3x3x3x16xf32>, %y: memref<1x10x10x16xf32>) {
    kernel.convolution ins(%x, %w : memref<1x21x21x3xf32>, memref<1x3x3x3x16xf32>) layout <panels(16)> outs(%y : memref<1x10x10x16xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A chain has all 176 terms, so no partial sums are spilled.
// CHECK-LABEL: func @chain
// CHECK-NOT: memref.alloca
// CHECK: scf.for %{{.*}} = %c0 to %c176 step %c8 iter_args
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @chain(%a: memref<6x176xf32>, %b: memref<1x176x16xf32>, %c: memref<6x16xf32>) {
    kernel.matmul ins(%a, %b : memref<6x176xf32>, memref<1x176x16xf32>) layout <panels(16)> outs(%c : memref<6x16xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// LLVM cannot derive the address of one row of a tile from that of another.
// CHECK-LABEL: func @addresses
// CHECK-COUNT-6: llvm.inline_asm "", "=r,0"
// CHECK-NOT: llvm.inline_asm "", "=r,0"
// CHECK: vector.fma
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @addresses(%a: memref<6x64xf32>, %b: memref<1x64x16xf32>, %c: memref<6x16xf32>) {
    kernel.matmul ins(%a, %b : memref<6x64xf32>, memref<1x64x16xf32>) layout <panels(16)> outs(%c : memref<6x16xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The 32 rows of a work item are two tiles of six rows and four tiles of five.
// CHECK-LABEL: func @work_items
// CHECK: kernel.parallel 2 row_wise
// CHECK: scf.for %[[ITEM:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK: %[[BEFORE:.*]] = arith.muli %[[ITEM]], %c32
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: scf.for %[[TILE:.*]] = %c0 to %c2 step %c1
// CHECK: %[[IN:.*]] = arith.muli %[[TILE]], %c6
// CHECK: arith.addi %[[BEFORE]], %[[IN]]
// CHECK-COUNT-12: vector.store
// CHECK: scf.for %{{.*}} = %c2 to %c6 step %c1
// CHECK-COUNT-10: vector.store
// CHECK-NOT: vector.store
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<vector_bits = 256>} {
  func.func @work_items(%a: memref<64x64xf32>, %b: memref<2x64x16xf32>, %c: memref<64x32xf32>) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 64, size = 32>} {
    kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x16xf32>) layout <panels(16)> outs(%c : memref<64x32xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The three vectors of the panel stay in registers for all four rows.
// CHECK-LABEL: func @three
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8 iter_args
// CHECK-COUNT-3: vector.load %arg1
// CHECK-NOT: vector.load %arg1
// CHECK-COUNT-12: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.load %arg1
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @three(%a: memref<4x64xf32>, %b: memref<1x64x24xf32>, %c: memref<4x24xf32>) {
    kernel.matmul ins(%a, %b : memref<4x64xf32>, memref<1x64x24xf32>) layout <panels(24)> outs(%c : memref<4x24xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The three factors stay in registers, and each of the four vectors is loaded at its
// use.
// CHECK-LABEL: func @four
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8 iter_args
// CHECK-COUNT-3: memref.load %arg0
// CHECK-NOT: memref.load
// CHECK: vector.load %arg1
// CHECK-COUNT-3: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.load %arg1
// CHECK-COUNT-3: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @four(%a: memref<3x64xf32>, %b: memref<1x64x32xf32>, %c: memref<3x32xf32>) {
    kernel.matmul ins(%a, %b : memref<3x64xf32>, memref<1x64x32xf32>) layout <panels(32)> outs(%c : memref<3x32xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// One row has four sets of sums of two vectors, which are half of a wide panel. L2 does
// not hold the weights, and the columns are few, so this half is prefetched.
// CHECK-LABEL: func @half_panels
// CHECK: scf.for {{.*}} iter_args
// CHECK-SAME: -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[FAR:.*]] = arith.addi %[[ROW]], %c1024
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[FAR]]
// CHECK: memref.prefetch %arg1[%{{.*}}, %c0, %[[AT]]], read, locality<3>
// CHECK-COUNT-7: memref.prefetch %arg1
// CHECK-NOT: memref.prefetch
// CHECK: vector.load %arg1
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @half_panels(%a: memref<1x4096xf32>, %b: memref<8x4096x32xf32>, %c: memref<1x256xf32>) {
    kernel.matmul ins(%a, %b : memref<1x4096xf32>, memref<8x4096x32xf32>) layout <panels(32)> outs(%c : memref<1x256xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// If the weights come from beyond L2, the kernel reads several panels at a time and
// prefetches nothing. One row uses four panels of two vectors. Three rows, with weights
// beyond L3, use three panels with one vector each.
// CHECK-LABEL: func @several_panels
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} iter_args
// CHECK: %[[P:.*]] = arith.divui %{{.*}}, %c16
// CHECK: vector.load %arg1[%[[P]], %[[K]], %c0]
// CHECK: vector.load %arg1[%[[P]], %[[K]], %c8]
// CHECK: %[[SECOND:.*]] = arith.addi %[[P]], %c1
// CHECK: vector.load %arg1[%[[SECOND]], %[[K]], %c0]
// CHECK: %[[LAST:.*]] = arith.addi %[[P]], %c3
// CHECK: vector.load %arg1[%[[LAST]], %[[K]], %c8]
// CHECK-NOT: memref.prefetch
// CHECK-LABEL: func @several_of_a_few_rows
// CHECK: %[[P:.*]] = arith.divui %{{.*}}, %c8
// CHECK: vector.load %arg1[%[[P]], %{{.*}}, %c0]
// CHECK: %[[SECOND:.*]] = arith.addi %[[P]], %c1
// CHECK: vector.load %arg1[%[[SECOND]], %{{.*}}, %c0]
// CHECK: %[[LAST:.*]] = arith.addi %[[P]], %c2
// CHECK: vector.load %arg1[%[[LAST]], %{{.*}}, %c0]
// CHECK-COUNT-9: vector.fma
// CHECK-NOT: memref.prefetch
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @several_panels(%a: memref<1x1024xf32>, %b: memref<64x1024x16xf32>, %c: memref<1x1024xf32>) {
    kernel.matmul ins(%a, %b : memref<1x1024xf32>, memref<64x1024x16xf32>) layout <panels(16)> outs(%c : memref<1x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
  func.func @several_of_a_few_rows(%a: memref<3x4096xf32>, %b: memref<128x4096x8xf32>, %c: memref<3x1024xf32>) {
    kernel.matmul ins(%a, %b : memref<3x4096xf32>, memref<128x4096x8xf32>) layout <panels(8)> outs(%c : memref<3x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The kernel multiplies two rows by all four vectors of the panel.
// CHECK-LABEL: func @two_rows
// CHECK-NOT: scf.for %{{.*}} = %c0 to %c2
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: vector.load %arg1
// CHECK-COUNT-2: memref.load %arg0
// CHECK: vector.load %arg1
// CHECK-COUNT-2: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.load %arg1
// CHECK-COUNT-2: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.load %arg1
// CHECK-COUNT-2: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
// CHECK: vector.load %arg1
// CHECK-COUNT-2: vector.fma
// CHECK: llvm.inline_asm has_side_effects "", "~{memory}"  :
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @two_rows(%a: memref<2x64xf32>, %b: memref<1x64x32xf32>, %c: memref<2x32xf32>) {
    kernel.matmul ins(%a, %b : memref<2x64xf32>, memref<1x64x32xf32>) layout <panels(32)> outs(%c : memref<2x32xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The addresses of 14 rows do not fit in registers. Rows with small distances need no
// address register.
// CHECK-LABEL: func @high
// CHECK-NOT: llvm.inline_asm "", "=r,0"
// CHECK: return
// CHECK-LABEL: func @transposed
// CHECK-NOT: llvm.inline_asm "", "=r,0"
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @high(%a: memref<28x64xf32>, %b: memref<1x64x8xf32>, %c: memref<28x8xf32>) {
    kernel.matmul ins(%a, %b : memref<28x64xf32>, memref<1x64x8xf32>) layout <panels(8)> outs(%c : memref<28x8xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
  func.func @transposed(%a: memref<64x12xf32>, %b: memref<1x64x16xf32>, %c: memref<12x16xf32>) {
    kernel.matmul ins(%a, %b : memref<64x12xf32>, memref<1x64x16xf32>) layout <panels(16)> outs(%c : memref<12x16xf32>) attributes {transpose_a} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Half of L1 holds 170 rows of a panel of three vectors, so chains and blocks have at
// most 128.
// CHECK-LABEL: func @chains
// CHECK-NOT: memref.alloca
// CHECK: scf.for %{{.*}} = %c0 to %c840 step %c120
// CHECK-NOT: memref.alloca
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @chains(%a: memref<8x960xf32>, %b: memref<1x960x24xf32>, %c: memref<8x24xf32>) {
    kernel.matmul ins(%a, %b : memref<8x960xf32>, memref<1x960x24xf32>) layout <panels(24)> outs(%c : memref<8x24xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Half of L1 holds 128 rows of a wide panel. Four blocks of 128 rows are a slab of the
// depth. All panels use a slab before the next one begins.
// CHECK-LABEL: func @slabs
// CHECK: scf.for %{{.*}} = %c0 to %c3584 step %c512
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[0-9]+}} to %{{[0-9]+}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c128
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[0-9]+}} to %{{[0-9]+}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c384 step %c128
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @slabs(%a: memref<96x4096xf32>, %b: memref<32x4096x32xf32>, %c: memref<96x1024xf32>) {
    kernel.matmul ins(%a, %b : memref<96x4096xf32>, memref<32x4096x32xf32>) layout <panels(32)> outs(%c : memref<96x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Rows that are 16 KiB apart use few sets of L2. So the kernel copies a slab of a block
// of rows, with one cache line more per row.
// CHECK-LABEL: func @copied_slabs
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<129x528xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c3584 step %c512
// CHECK: vector.store %{{.*}}, %[[COPY]]
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c128
// CHECK: memref.load %[[COPY]]
// CHECK-NOT: memref.load %arg0
// CHECK: return
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @copied_slabs(%a: memref<512x4096xf32>, %b: memref<32x4096x32xf32>, %c: memref<512x1024xf32>) {
    kernel.matmul ins(%a, %b : memref<512x4096xf32>, memref<32x4096x32xf32>) layout <panels(32)> outs(%c : memref<512x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// The 171 tiles of rows for two threads have four chunks of two blocks each, so a
// thread that is ready can take work of the other. With 75 tiles, chunks would be
// smaller than a block.
// CHECK-LABEL: func @chunks_of_blocks
// CHECK: kernel.parallel 342 {
// CHECK-LABEL: func @chunks_of_threads
// CHECK: kernel.parallel 150 coarse {
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<vector_bits = 256, l2 = 524288>} {
  func.func @chunks_of_blocks(%a: memref<1024x1024xf32>, %b: memref<32x1024x32xf32>, %c: memref<1024x1024xf32>) attributes {weir.kernel} {
    kernel.matmul ins(%a, %b : memref<1024x1024xf32>, memref<32x1024x32xf32>) layout <panels(32)> outs(%c : memref<1024x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
  func.func @chunks_of_threads(%a: memref<450x1024xf32>, %b: memref<32x1024x32xf32>, %c: memref<450x1024xf32>) attributes {weir.kernel} {
    kernel.matmul ins(%a, %b : memref<450x1024xf32>, memref<32x1024x32xf32>) layout <panels(32)> outs(%c : memref<450x1024xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A product in a loop computes all rows itself, because the kernel around it is shared.
// CHECK-LABEL: func @in_loop
// CHECK-NOT: kernel.parallel
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1
// CHECK: scf.for %{{.*}} = %c9 to %c11 step %c1
// CHECK-NOT: kernel.parallel
// CHECK: return
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<vector_bits = 256>} {
  func.func @in_loop(%a: memref<64x64xf32>, %b: memref<2x64x16xf32>, %c: memref<64x32xf32>, %n: index) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 64, size = 32>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x64x16xf32>) layout <panels(16)> outs(%c : memref<64x32xf32>) {
      ^bb0(%sum: f32):
        kernel.yield %sum : f32
      }
    }
    return
  }
}

// -----

// Each work item copies its rows, because they would use one set of L1.
// CHECK-LABEL: func @copies
// CHECK: kernel.parallel 16 row_wise
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<32x1040xf32>
// CHECK: scf.for %[[ITEM:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK: %[[BEFORE:.*]] = arith.muli %[[ITEM]], %c32
// CHECK: vector.load %arg0
// CHECK: vector.store %{{.*}}, %[[COPY]]
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<vector_bits = 256>} {
  func.func @copies(%a: memref<512x1024xf32>, %b: memref<2x1024x16xf32>, %c: memref<512x32xf32>) attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 512, size = 32>} {
    kernel.matmul ins(%a, %b : memref<512x1024xf32>, memref<2x1024x16xf32>) layout <panels(16)> outs(%c : memref<512x32xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// If neighbors share few pixels, a tile is one row of channels: four results of two
// vectors. The last four of 36 channels are a tile of their own.
// CHECK-LABEL: func @channel_rows
// CHECK: scf.for %[[C:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK: vector.load %{{.*}}%[[C]]] : memref<1x35x35x36xf32>, vector<8xf32>
// CHECK: %[[SECOND:.*]] = arith.addi %[[C]], %c8
// CHECK: vector.load %{{.*}}%[[SECOND]]] : memref<1x35x35x36xf32>, vector<8xf32>
// CHECK: vector.maskedload {{.*}} : memref<1x35x35x36xf32>
// CHECK-LABEL: func @shared
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c32{{.*}} step %c8
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @channel_rows(%x: memref<1x35x35x36xf32>, %w: memref<3x3x36xf32>, %y: memref<1x17x17x36xf32>) {
    kernel.depthwise ins(%x, %w : memref<1x35x35x36xf32>, memref<3x3x36xf32>) outs(%y : memref<1x17x17x36xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
  func.func @shared(%x: memref<1x19x19x36xf32>, %w: memref<3x3x36xf32>, %y: memref<1x17x17x36xf32>) {
    kernel.depthwise ins(%x, %w : memref<1x19x19x36xf32>, memref<3x3x36xf32>) outs(%y : memref<1x17x17x36xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}
