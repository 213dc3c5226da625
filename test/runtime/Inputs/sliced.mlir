// The model has variables that are slices of tensors, by rows and by columns, and whole
// variables. Its functions read them, and add 1 in a step.
graph.variable @"rows/part_1" : tensor<3x4xf32> = dense<[[8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0]]> : tensor<3x4xf32> {key = "rows", weir.slice = "5 4 2,3:0,4"}
graph.variable @"rows/part_0" : tensor<2x4xf32> = dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<2x4xf32> {key = "rows", weir.slice = "5 4 0,2:0,4"}
graph.variable @left : tensor<5x1xi32> = dense<[[0], [4], [8], [12], [16]]> : tensor<5x1xi32> {key = "columns", weir.slice = "5 4 -:0,1"}
graph.variable @right : tensor<5x3xi32> = dense<[[1, 2, 3], [5, 6, 7], [9, 10, 11], [13, 14, 15], [17, 18, 19]]> : tensor<5x3xi32> {key = "columns", weir.slice = "5 4 -:1,3"}
graph.variable @bias : tensor<4xf32> = dense<0.5> : tensor<4xf32>
graph.variable @table : tensor<5x4xf64> = dense<7.0> : tensor<5x4xf64> {key = "z/table"}
func.func @read() -> (tensor<2x4xf32> {weir.name = "r0"}, tensor<3x4xf32> {weir.name = "r1"}, tensor<5x1xi32> {weir.name = "l"}, tensor<5x3xi32> {weir.name = "r"}, tensor<4xf32> {weir.name = "b"}, tensor<5x4xf64> {weir.name = "t"}) attributes {weir.entry = "read"} {
  %r0 = graph.read_variable @"rows/part_0" : tensor<2x4xf32>
  %r1 = graph.read_variable @"rows/part_1" : tensor<3x4xf32>
  %l = graph.read_variable @left : tensor<5x1xi32>
  %r = graph.read_variable @right : tensor<5x3xi32>
  %b = graph.read_variable @bias : tensor<4xf32>
  %t = graph.read_variable @table : tensor<5x4xf64>
  return %r0, %r1, %l, %r, %b, %t : tensor<2x4xf32>, tensor<3x4xf32>, tensor<5x1xi32>, tensor<5x3xi32>, tensor<4xf32>, tensor<5x4xf64>
}
func.func @step() attributes {weir.entry = "step"} {
  %r0 = graph.read_variable @"rows/part_0" : tensor<2x4xf32>
  %one = graph.constant dense<1.0> : tensor<2x4xf32>
  %new = graph.add %r0, %one : tensor<2x4xf32>
  graph.write_variable @"rows/part_0", %new : tensor<2x4xf32>
  return
}
