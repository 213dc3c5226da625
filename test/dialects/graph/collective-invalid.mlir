// Each constraint of the operations that ranks compute together.
// RUN: weir-opt %s --split-input-file --verify-diagnostics

func.func @no_mesh(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{is in a module without weir.mesh}}
  %y = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @other_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@below {{names the axis "model", and the mesh has ["data"]}}
    %y = graph.all_reduce max %x over ["model"] : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@below {{names the axis "data" twice}}
    %y = graph.all_reduce sum %x over ["data", "data"] : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @no_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@below {{names no axis}}
    %y = graph.all_reduce sum %x over [] : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @gather(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
    // expected-error@below {{joins 2 parts of 'tensor<2x3xf32>' along dimension 0, which is not 'tensor<2x6xf32>'}}
    %y = graph.all_gather %x along 0 over ["data"] : tensor<2x3xf32> to tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @part(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
    // expected-error@below {{joins 2 parts of 'tensor<2x3xf32>' along dimension 0, which is not 'tensor<5x3xf32>'}}
    %y = graph.own_part %x along 0 over ["data"] : tensor<5x3xf32> to tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @dimension(%x: tensor<4xf32>) -> tensor<2xf32> {
    // expected-error@below {{has no dimension 1}}
    %y = graph.own_part %x along 1 over ["data"] : tensor<4xf32> to tensor<2xf32>
    return %y : tensor<2xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @scatter(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
    // expected-error@below {{joins 2 parts of 'tensor<2x3xf32>' along dimension 0, which is not 'tensor<5x3xf32>'}}
    %y = graph.reduce_scatter %x along 0 over ["data"] : tensor<5x3xf32> to tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
