// RUN: weir-opt %s --split-input-file --weir-form-row-wise-groups | FileCheck %s

// Each row of a product and of the ops after it depends only on its own row. A work
// item is half of a thread's rows. Views may be in between. A task that needs all rows
// is in no row-wise group.
// CHECK-LABEL: func.func @layer
// CHECK: plan.task @project(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: graph.reshape
// CHECK: plan.task @scale(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @project(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @turn(%{{[a-z0-9]+}}) : (
// CHECK: func.func private @project{{.*}} attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 128, size = 32>}
// CHECK: func.func private @scale{{.*}} attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 128, size = 32>}
// CHECK: func.func private @turn{{.*}} attributes {weir.kernel} {
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<>} {
  func.func @layer(%x: tensor<128x64xf32>, %s: tensor<64xf32>) -> tensor<64x128xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.5> : tensor<64x64xf32>
    %a = plan.task @project(%x, %w) : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %b = graph.reshape %a : tensor<128x64xf32> to tensor<1x128x64xf32>
    %c = plan.task @scale(%b, %s) : (tensor<1x128x64xf32>, tensor<64xf32>) -> tensor<1x128x64xf32>
    %d = graph.reshape %c : tensor<1x128x64xf32> to tensor<128x64xf32>
    %e = plan.task @project(%d, %w) : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %f = plan.task @turn(%e) : (tensor<128x64xf32>) -> tensor<64x128xf32>
    return %f : tensor<64x128xf32>
  }
  func.func private @project(%x: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<128x64xf32>
    %1 = kernel.matmul ins(%x, %w : tensor<128x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<128x64xf32>) -> tensor<128x64xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %1 : tensor<128x64xf32>
  }
  func.func private @scale(%x: tensor<1x128x64xf32>, %s: tensor<64xf32>) -> tensor<1x128x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<1x128x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<1x128x64xf32>, tensor<64xf32>) outs(%0 : tensor<1x128x64xf32>) {
    ^bb0(%in: f32, %f: f32, %out: f32):
      %2 = arith.mulf %in, %f : f32
      linalg.yield %2 : f32
    } -> tensor<1x128x64xf32>
    return %1 : tensor<1x128x64xf32>
  }
  func.func private @turn(%x: tensor<128x64xf32>) -> tensor<64x128xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x64xf32>) outs(%0 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
}

// -----

// The right side of a product is read as a whole, and so is a tensor that a gather
// captures. Results of the same group are not complete by then. So such a task may only
// begin a group. A task that computes rows from other rows of its operand is in no
// group.
// CHECK-LABEL: func.func @whole
// CHECK: plan.task @product_0(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @product_0(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @product_0(%{{.*}}) {row_wise, task_group = 1 : i64}
// CHECK: plan.task @product_0(%{{.*}}) {row_wise, task_group = 1 : i64}
// CHECK: plan.task @pick(%{{[a-z0-9]+}}) : (
// CHECK: plan.task @product(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (
// CHECK: plan.task @sums(%{{[a-z0-9]+}}) : (
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<>} {
  func.func @whole(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @product(%x, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %b = plan.task @product(%a, %x) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = plan.task @product(%x, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %d = plan.task @product(%c, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = plan.task @pick(%d) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %f = plan.task @product(%x, %d) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %g = plan.task @sums(%f) : (tensor<64x64xf32>) -> tensor<64xf32>
    return %e, %g : tensor<64x64xf32>, tensor<64xf32>
  }
  func.func private @product(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = kernel.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %1 : tensor<64x64xf32>
  }
  func.func private @sums(%x: tensor<64x64xf32>) -> tensor<64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = math.exp %in : f32
      linalg.yield %4 : f32
    } -> tensor<64x64xf32>
    %2 = tensor.empty() : tensor<64xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<64x64xf32>) outs(%2 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.addf %in, %out : f32
      linalg.yield %4 : f32
    } -> tensor<64xf32>
    return %3 : tensor<64xf32>
  }
  func.func private @pick(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {weir.kernel} {
    %zero = arith.constant 0 : index
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<64x64xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 1 : index
      %v = tensor.extract %x[%i, %zero] : tensor<64x64xf32>
      linalg.yield %v : f32
    } -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

// -----

// Three kinds of tasks are in no group: matrices that L2 does not hold together, rows
// that do not divide into equal work items, and tasks with little work.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: row_wise
// CHECK-NOT: weir.row_blocks
// CHECK: plan.task
// CHECK-NOT: row_wise
// CHECK-NOT: weir.row_blocks
// CHECK: return
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<l2 = 65536>} {
  func.func @apart(%x: tensor<64x128xf32>, %y: tensor<67x64xf32>, %s: tensor<64x2xf32>) -> (tensor<64x128xf32>, tensor<67x64xf32>, tensor<64x2xf32>) attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.5> : tensor<128x128xf32>
    %a = plan.task @large(%x, %w) : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %b = plan.task @large(%a, %w) : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    %v = graph.constant dense<0.5> : tensor<64x64xf32>
    %c = plan.task @odd(%y, %v) : (tensor<67x64xf32>, tensor<64x64xf32>) -> tensor<67x64xf32>
    %d = plan.task @odd(%c, %v) : (tensor<67x64xf32>, tensor<64x64xf32>) -> tensor<67x64xf32>
    %e = plan.task @small(%s) : (tensor<64x2xf32>) -> tensor<64x2xf32>
    %f = plan.task @small(%e) : (tensor<64x2xf32>) -> tensor<64x2xf32>
    return %b, %d, %f : tensor<64x128xf32>, tensor<67x64xf32>, tensor<64x2xf32>
  }
  func.func private @large(%x: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = kernel.matmul ins(%x, %w : tensor<64x128xf32>, tensor<128x128xf32>) outs(%0 : tensor<64x128xf32>) -> tensor<64x128xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %1 : tensor<64x128xf32>
  }
  func.func private @odd(%x: tensor<67x64xf32>, %w: tensor<64x64xf32>) -> tensor<67x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<67x64xf32>
    %1 = kernel.matmul ins(%x, %w : tensor<67x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<67x64xf32>) -> tensor<67x64xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %1 : tensor<67x64xf32>
  }
  func.func private @small(%x: tensor<64x2xf32>) -> tensor<64x2xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x2xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x2xf32>) outs(%0 : tensor<64x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.negf %in : f32
      linalg.yield %2 : f32
    } -> tensor<64x2xf32>
    return %1 : tensor<64x2xf32>
  }
}

// -----

// One thread has two blocks. A task whose results L2 does not hold is in no group.
// CHECK-LABEL: func.func @one_thread
// CHECK: plan.task @small(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @small(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @large(%{{[a-z0-9]+}}) : (
// CHECK: plan.task @large(%{{[a-z0-9]+}}) : (
// CHECK: func.func private @small{{.*}} attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 64, size = 32>}
// CHECK: func.func private @large{{.*}} attributes {weir.kernel} {
module attributes {weir.slots = 1 : i64, weir.target = #weir.target<l2 = 65536>} {
  func.func @one_thread(%x: tensor<64x128xf32>, %y: tensor<512x128xf32>) -> (tensor<64x128xf32>, tensor<512x128xf32>) attributes {weir.entry = "serve"} {
    %a = plan.task @small(%x) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %b = plan.task @small(%a) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %c = plan.task @large(%y) : (tensor<512x128xf32>) -> tensor<512x128xf32>
    %d = plan.task @large(%c) : (tensor<512x128xf32>) -> tensor<512x128xf32>
    return %b, %d : tensor<64x128xf32>, tensor<512x128xf32>
  }
  func.func private @small(%x: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x128xf32>) outs(%0 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.exp %in : f32
      linalg.yield %2 : f32
    } -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
  func.func private @large(%x: tensor<512x128xf32>) -> tensor<512x128xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<512x128xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x128xf32>) outs(%0 : tensor<512x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.exp %in : f32
      linalg.yield %2 : f32
    } -> tensor<512x128xf32>
    return %1 : tensor<512x128xf32>
  }
}

// -----

// Rows may have two dimensions if a reduction joins the loops over them. They may not
// if one op shares only one of its loops.
// CHECK-LABEL: func.func @dimensions
// CHECK: plan.task @sum(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @sum(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: plan.task @plain(%{{[a-z0-9]+}}) : (
// CHECK: func.func private @sum{{.*}} attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 512, size = 128>}
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<>} {
  func.func @dimensions(%x: tensor<8x64x32xf32>) -> tensor<8x64x32xf32> attributes {weir.entry = "serve"} {
    %a = plan.task @sum(%x) : (tensor<8x64x32xf32>) -> tensor<8x64x32xf32>
    %b = plan.task @sum(%a) : (tensor<8x64x32xf32>) -> tensor<8x64x32xf32>
    %c = plan.task @plain(%b) : (tensor<8x64x32xf32>) -> tensor<8x64x32xf32>
    return %c : tensor<8x64x32xf32>
  }
  func.func private @sum(%x: tensor<8x64x32xf32>) -> tensor<8x64x32xf32> attributes {weir.kernel} {
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<8x64xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<8x64xf32>) -> tensor<8x64xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<8x64x32xf32>) outs(%1 : tensor<8x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = math.exp %in : f32
      %6 = arith.addf %5, %out : f32
      linalg.yield %6 : f32
    } -> tensor<8x64xf32>
    %3 = tensor.empty() : tensor<8x64x32xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %2 : tensor<8x64x32xf32>, tensor<8x64xf32>) outs(%3 : tensor<8x64x32xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %5 = arith.divf %in, %s : f32
      linalg.yield %5 : f32
    } -> tensor<8x64x32xf32>
    return %4 : tensor<8x64x32xf32>
  }
  func.func private @plain(%x: tensor<8x64x32xf32>) -> tensor<8x64x32xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<8x64x32xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<8x64x32xf32>) outs(%0 : tensor<8x64x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.exp %in : f32
      linalg.yield %2 : f32
    } -> tensor<8x64x32xf32>
    return %1 : tensor<8x64x32xf32>
  }
}

// -----

// An epilogue reads an extra by rows, or as a whole, such as a bias. A kernel that
// another task runs, too, stays as it is, and a copy of it runs row-wise.
// CHECK-LABEL: func.func @epilogues
// CHECK: %[[A:.*]] = plan.task @dense_0(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK: %[[B:.*]] = plan.task @dense_0(%{{.*}}, %[[A]]) {row_wise, task_group = 0 : i64}
// CHECK: %[[C:.*]] = plan.task @turn(%[[B]])
// CHECK: plan.task @dense(%[[C]], {{.*}}) : (
// CHECK-DAG: func.func private @dense({{.*}} attributes {weir.kernel} {
// CHECK-DAG: func.func private @dense_0({{.*}} attributes {weir.kernel, weir.row_blocks = #weir.row_blocks<rows = 64, size = 16>} {
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<>} {
  func.func @epilogues(%x: tensor<64x64xf32>, %b: tensor<1x64xf32>) -> tensor<64x64xf32> attributes {weir.entry = "serve"} {
    %w = graph.constant dense<0.5> : tensor<64x64xf32>
    %a = plan.task @dense(%x, %w, %b, %x) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %c = plan.task @dense(%x, %w, %b, %a) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %d = plan.task @turn(%c) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = plan.task @dense(%d, %w, %b, %d) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %e : tensor<64x64xf32>
  }
  func.func private @dense(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %b: tensor<1x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = kernel.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) extras(%b, %y : tensor<1x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]} {
    ^bb0(%sum: f32, %bias: f32, %more: f32):
      %2 = arith.addf %sum, %bias : f32
      %3 = arith.addf %2, %more : f32
      kernel.yield %3 : f32
    }
    return %1 : tensor<64x64xf32>
  }
  func.func private @turn(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

// -----

// With rematerialization, memory is more important than speed, so there are no groups.
// CHECK-LABEL: func.func @remat
// CHECK-NOT: row_wise
// CHECK: plan.task
// CHECK-NOT: row_wise
// CHECK: return
module attributes {weir.slots = 2 : i64, weir.remat = 0 : i64, weir.target = #weir.target<>} {
  func.func @remat(%x: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {weir.entry = "serve"} {
    %a = plan.task @exp(%x) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %b = plan.task @exp(%a) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    return %b : tensor<64x128xf32>
  }
  func.func private @exp(%x: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x128xf32>) outs(%0 : tensor<64x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.exp %in : f32
      linalg.yield %2 : f32
    } -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
}
