// Functions compute steps of gradient descent on y = w * x + b for 100 points, and the
// values of the line. Further variables have each type of element in a checkpoint.
graph.variable @w : tensor<f32> = dense<0.0> : tensor<f32>
graph.variable @b : tensor<f32> = dense<0.0> : tensor<f32>
graph.variable @symbol : tensor<i64> = dense<0> : tensor<i64> {called = "steps", key = "global/step"}
graph.variable @seen : tensor<2x3xi1> = dense<false> : tensor<2x3xi1>
graph.variable @nothing : tensor<0xf64> = dense<0.0> : tensor<0xf64>
func.func @train_step(%x: tensor<100xf32> {weir.name = "x"}, %t: tensor<100xf32> {weir.name = "t"}) -> (tensor<f32> {weir.name = "loss"}) attributes {weir.entry = "train_step"} {
  %w = graph.read_variable @w : tensor<f32>
  %b = graph.read_variable @b : tensor<f32>
  %ws = graph.broadcast %w [] : tensor<f32> to tensor<100xf32>
  %bs = graph.broadcast %b [] : tensor<f32> to tensor<100xf32>
  %wx = graph.mul %ws, %x : tensor<100xf32>
  %y = graph.add %wx, %bs : tensor<100xf32>
  %e = graph.sub %y, %t : tensor<100xf32>
  %e2 = graph.mul %e, %e : tensor<100xf32>
  %hundredth = graph.constant dense<0.01> : tensor<f32>
  %total = graph.reduce_sum %e2 [0] : tensor<100xf32>
  %loss = graph.mul %total, %hundredth : tensor<f32>
  %ex = graph.mul %e, %x : tensor<100xf32>
  %dw = graph.reduce_sum %ex [0] : tensor<100xf32>
  %db = graph.reduce_sum %e [0] : tensor<100xf32>
  // The rate is 0.5 for twice the mean.
  %sw = graph.mul %dw, %hundredth : tensor<f32>
  %sb = graph.mul %db, %hundredth : tensor<f32>
  %nw = graph.sub %w, %sw : tensor<f32>
  %nb = graph.sub %b, %sb : tensor<f32>
  graph.write_variable @w, %nw : tensor<f32>
  graph.write_variable @b, %nb : tensor<f32>
  %n = graph.read_variable @symbol : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %m = graph.add %n, %one : tensor<i64>
  graph.write_variable @symbol, %m : tensor<i64>
  %yes = graph.constant dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>
  graph.write_variable @seen, %yes : tensor<2x3xi1>
  return %loss : tensor<f32>
}
func.func @predict(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) attributes {weir.entry = "predict"} {
  %w = graph.read_variable @w : tensor<f32>
  %b = graph.read_variable @b : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %good = graph.greater_equal %x, %zero : tensor<f32>
  graph.check %good, "node 'predict': x is negative" : tensor<i1>
  %wx = graph.mul %w, %x : tensor<f32>
  %y = graph.add %wx, %b : tensor<f32>
  return %y : tensor<f32>
}
// Assignments after a failed check do not happen.
func.func @set(%x: tensor<f32> {weir.name = "x"}) attributes {weir.entry = "set"} {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %good = graph.greater_equal %x, %zero : tensor<f32>
  graph.check %good, "node 'set': x is negative" : tensor<i1>
  graph.write_variable @w, %x : tensor<f32>
  return
}
// This function uses no variables, so it needs no init.
func.func @twice(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) attributes {weir.entry = "twice"} {
  %y = graph.add %x, %x : tensor<f32>
  return %y : tensor<f32>
}
