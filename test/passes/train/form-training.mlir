// RUN: weir-opt %s --split-input-file --verify-diagnostics --weir-form-training | FileCheck %s

// The model has its own loss, and the optimizer is momentum. The step reads the
// variable and computes gradients. It assigns the optimizer state before the variable.
// CHECK: module
// CHECK-NOT: weir.train
// CHECK: graph.variable @w : tensor<4xf32>{{$}}
// CHECK: func.func @f(%[[X:.*]]: tensor<4xf32>) -> (tensor<f32> {weir.name = "loss", weir.tensor = "loss"}) attributes {weir.entry = "loss"}
// CHECK-NOT: graph.write_variable
// CHECK: graph.variable @"var:w/Momentum" : tensor<4xf32> = dense<0.000000e+00> : tensor<4xf32> {called = "w/Momentum", weir.optimizer_state}
// CHECK: func.func @f_step
// CHECK-SAME: weir.entry = "train_step"
// CHECK: %[[W:.*]] = graph.read_variable @w
// CHECK: %[[L:.*]] = graph.reduce_sum
// CHECK: %[[G:.*]] = graph.gradient %[[L]] of %[[W]] : tensor<f32>, (tensor<4xf32>)
// CHECK: %[[M:.*]] = graph.read_variable @"var:w/Momentum"
// CHECK: %[[DECAYED:.*]] = graph.mul %[[M]], {{.*}} : tensor<4xf32>
// CHECK: %[[SPEED:.*]] = graph.add %[[DECAYED]], %[[G]]
// CHECK: %[[BY:.*]] = graph.mul %[[SPEED]],
// CHECK: %[[NEW:.*]] = graph.sub %[[W]], %[[BY]]
// CHECK: graph.write_variable @"var:w/Momentum", %[[SPEED]]
// CHECK: graph.write_variable @w, %[[NEW]]
// CHECK: return %[[L]] : tensor<f32>
module attributes {weir.training = {loss = "", optimizer = "Momentum", rate = 0.5, momentum = 0.9}} {
  graph.variable @w : tensor<4xf32> {weir.trained}
  func.func @f(%x: tensor<4xf32>) -> tensor<f32> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    %w = graph.read_variable @w : tensor<4xf32>
    %y = graph.mul %w, %x : tensor<4xf32>
    %l = graph.reduce_sum %y [0] : tensor<4xf32>
    return %l : tensor<f32>
  }
  func.func @init() attributes {weir.entry = "init", weir.init} {
    %z = graph.constant dense<0.0> : tensor<4xf32>
    graph.write_variable @w, %z : tensor<4xf32>
    return
  }
}

// -----

// Labels and the learning rate become inputs, and the scores are the operand of the
// softmax. Assignments of the model move to the step. A variable that the loss does not
// depend on stays.
// CHECK: func.func @f(%{{.*}}: tensor<2x3xf32>, %[[T:.*]]: tensor<2xi32> {weir.name = "t", weir.tensor = "t"}) -> (tensor<f32>
// CHECK-NOT: graph.write_variable
// CHECK: %[[L:.*]] = graph.cast %[[T]] : tensor<2xi32> to tensor<2xi64>
// CHECK: graph.check {{.*}}, "a label is not in [0, 3)"
// CHECK: %[[N:.*]] = graph.cast %[[L]] : tensor<2xi64> to tensor<2xi32>
// CHECK: graph.equal
// CHECK: graph.log_softmax
// CHECK: return
// CHECK: func.func @f_step(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2xi32> {{.*}}, %[[R:.*]]: tensor<f32> {weir.name = "learning_rate", weir.tensor = "learning_rate"})
// CHECK: graph.write_variable @steps
// CHECK: graph.gradient {{.*}} : tensor<f32>, (tensor<3xf32>)
// CHECK: graph.broadcast %[[R]]
// CHECK: graph.write_variable @b
// CHECK-NOT: graph.write_variable @apart
module attributes {weir.training = {loss = "sparse_softmax_cross_entropy", labels = "t", optimizer = "sgd", rate_input = "learning_rate"}} {
  graph.variable @b : tensor<3xf32> = dense<0.0> : tensor<3xf32> {weir.trained}
  graph.variable @apart : tensor<3xf32> = dense<0.0> : tensor<3xf32> {weir.trained}
  graph.variable @steps : tensor<i64> = dense<0> : tensor<i64>
  func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    %a = graph.read_variable @apart : tensor<3xf32>
    %b = graph.read_variable @b : tensor<3xf32>
    %n = graph.read_variable @steps : tensor<i64>
    %m = graph.add %n, %n : tensor<i64>
    graph.write_variable @steps, %m : tensor<i64>
    %stopped = graph.floor %a : tensor<3xf32>
    %sum = graph.add %b, %stopped : tensor<3xf32>
    %rows = graph.broadcast %sum [1] : tensor<3xf32> to tensor<2x3xf32>
    %y = graph.add %x, %rows : tensor<2x3xf32>
    %p = graph.softmax %y : tensor<2x3xf32>
    return %p : tensor<2x3xf32>
  }
}

// -----

// An update uses the gradients of three steps. Their f32 sum begins anew after each
// update. A conditional contains the whole update.
// CHECK: graph.variable @"var:accumulated_steps" : tensor<i64> = dense<0>
// CHECK: graph.variable @"var:w/gradient_sum" : tensor<4xf32> = dense<0.000000e+00>
// CHECK: func.func @f_step
// CHECK: %[[W:.*]] = graph.read_variable @w
// CHECK: %[[G:.*]] = graph.gradient
// CHECK: %[[BEFORE:.*]] = graph.read_variable @"var:accumulated_steps"
// CHECK: %[[NOW:.*]] = graph.add %[[BEFORE]],
// CHECK: %[[FIRST:.*]] = graph.equal %[[BEFORE]],
// CHECK: %[[LAST:.*]] = graph.greater_equal %[[NOW]],
// CHECK: %[[KEPT:.*]] = graph.read_variable @"var:w/gradient_sum"
// CHECK: %[[MORE:.*]] = graph.add %[[KEPT]], %[[G]]
// CHECK: %[[SUM:.*]] = graph.select {{.*}}, %[[G]], %[[MORE]]
// CHECK: graph.write_variable @"var:w/gradient_sum", %[[SUM]]
// CHECK: %[[COUNT:.*]] = graph.if %[[LAST]] : tensor<i1> -> (tensor<i64>)
// CHECK: %[[MEAN:.*]] = graph.div %[[SUM]],
// CHECK: graph.mul %[[MEAN]],
// CHECK: graph.write_variable @w
// CHECK: } else {
// CHECK-NEXT: graph.yield %[[NOW]]
// CHECK-NEXT: }
// CHECK-NEXT: graph.write_variable @"var:accumulated_steps", %[[COUNT]]
// CHECK-NEXT: return
module attributes {weir.training = {loss = "", optimizer = "sgd", accumulate = 3.0}} {
  graph.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {weir.trained}
  func.func @f(%x: tensor<4xf32>) -> tensor<f32> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    %w = graph.read_variable @w : tensor<4xf32>
    %y = graph.mul %w, %x : tensor<4xf32>
    %l = graph.reduce_sum %y [0] : tensor<4xf32>
    return %l : tensor<f32>
  }
}

// -----

// The loss of a 16-bit model is f32, and so is the master copy that steps update. It
// begins with the first value of the variable.
// CHECK: func.func @f(%{{.*}}: tensor<4xf16>, %[[T:.*]]: tensor<4xf16> {weir.name = "t"{{.*}}) -> (tensor<f32>
// CHECK: %[[Y:.*]] = graph.mul
// CHECK: %[[FULL:.*]] = graph.cast %[[Y]] : tensor<4xf16> to tensor<4xf32>
// CHECK: graph.cast %[[T]] : tensor<4xf16> to tensor<4xf32>
// CHECK: graph.squared_difference %[[FULL]]
// CHECK: graph.variable @"var:w/master" : tensor<4xf32> {called = "w/master", weir.optimizer_state}
// CHECK: func.func @f_step
// CHECK: %[[G:.*]] = graph.gradient {{.*}} : tensor<f32>, (tensor<4xf16>)
// CHECK: %[[X:.*]] = graph.read_variable @"var:w/master"
// CHECK: %[[G32:.*]] = graph.cast %[[G]] : tensor<4xf16> to tensor<4xf32>
// CHECK: %[[NEW:.*]] = graph.sub %[[X]],
// CHECK: graph.write_variable @"var:w/master", %[[NEW]]
// CHECK: %[[NARROW:.*]] = graph.cast %[[NEW]] : tensor<4xf32> to tensor<4xf16>
// CHECK: graph.write_variable @w, %[[NARROW]]
// CHECK: func.func @init() attributes {weir.entry = "init", weir.init}
// CHECK: %[[FIRST:.*]] = graph.read_variable @w
// CHECK: %[[CAST:.*]] = graph.cast %[[FIRST]]
// CHECK: graph.write_variable @"var:w/master", %[[CAST]]
module attributes {weir.training = {loss = "mean_squared_error", labels = "t", optimizer = "sgd"}} {
  graph.variable @w : tensor<4xf16> = dense<1.0> : tensor<4xf16> {weir.trained}
  func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    %w = graph.read_variable @w : tensor<4xf16>
    %y = graph.mul %w, %x : tensor<4xf16>
    return %y : tensor<4xf16>
  }
}

// -----

// Gradients are those of the loss times the loss scale. A step whose gradients are not
// all finite halves the scale and changes nothing else. Without master copies the
// variable itself is updated.
// CHECK-NOT: master
// CHECK: func.func @f_step
// CHECK: %[[L:.*]] = graph.cast {{.*}} : tensor<f16> to tensor<f32>
// CHECK: %[[SCALE:.*]] = graph.read_variable @"var:loss_scale"
// CHECK: %[[SCALED:.*]] = graph.mul %[[L]], %[[SCALE]]
// CHECK: %[[G:.*]] = graph.gradient %[[SCALED]] of {{.*}} : tensor<f32>, (tensor<f16>)
// CHECK: %[[G32:.*]] = graph.cast %[[G]] : tensor<f16> to tensor<f32>
// CHECK: %[[SLOPE:.*]] = graph.div %[[G32]], %[[SCALE]]
// CHECK: %[[ABS:.*]] = graph.abs %[[SLOPE]]
// CHECK: %[[FINITE:.*]] = graph.less %[[ABS]],
// CHECK: graph.mul %[[SCALE]],
// CHECK: %[[HALF:.*]] = graph.mul %[[SCALE]],
// CHECK: %[[LEAST:.*]] = graph.maximum %[[HALF]],
// CHECK: %[[NEXT:.*]]:2 = graph.if %[[FINITE]]
// CHECK: graph.cast %[[SLOPE]] : tensor<f32> to tensor<f16>
// CHECK: graph.write_variable @w
// CHECK: } else {
// CHECK: graph.yield %{{.*}}, %[[LEAST]]
// CHECK: graph.write_variable @"var:good_steps", %[[NEXT]]#0
// CHECK: graph.write_variable @"var:loss_scale", %[[NEXT]]#1
// CHECK: return %[[L]] : tensor<f32>
module attributes {weir.training = {loss = "", optimizer = "sgd", loss_scale = 1024.0, loss_scale_growth = 10.0, master_weights = "none"}} {
  graph.variable @w : tensor<f16> = dense<1.0> : tensor<f16> {weir.trained}
  func.func @f(%x: tensor<f16>) -> tensor<f16> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    %w = graph.read_variable @w : tensor<f16>
    %y = graph.mul %w, %x : tensor<f16>
    return %y : tensor<f16>
  }
}

// -----

// Without the attribute the pass does nothing.
// CHECK: func.func @f
// CHECK-NOT: func.func
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {weir.entry = "main"} {
  return %x : tensor<f32>
}

// -----

module attributes {weir.training = {loss = "", optimizer = "sgd"}} {
  graph.variable @w : tensor<4xf32> {weir.trained}
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    // expected-error @+1 {{the loss depends on no variable that is to be trained}}
    %y = graph.relu %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {weir.training = {loss = "mean_squared_error", optimizer = "sgd"}} {
  graph.variable @w : tensor<4xf32> {weir.trained}
  func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    %w = graph.read_variable @w : tensor<4xf32>
    %y = graph.add %w, %x : tensor<4xf32>
    // expected-error @+1 {{is a 'tensor<2xf32>'; labels for mean_squared_error are a 'tensor<4xf32>'}}
    %t = graph.constant dense<0.0> : tensor<2xf32>
    return %y, %t : tensor<4xf32>, tensor<2xf32>
  }
}

// -----

module attributes {weir.training = {loss = "", optimizer = "Newton"}} {
  // expected-error @+1 {{has an unknown optimizer: 'Newton'}}
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
    return %x : tensor<4xf32>
  }
}
