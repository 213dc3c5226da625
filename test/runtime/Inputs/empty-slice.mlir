// One slice is the whole tensor, and one is empty.
graph.variable @all : tensor<5x4xf32> = dense<1.0> : tensor<5x4xf32> {key = "k", weir.slice = "5 4 0,5:0,4"}
graph.variable @none : tensor<0x4xf32> = dense<1.0> : tensor<0x4xf32> {key = "k", weir.slice = "5 4 2,0:0,4"}
func.func @clear() attributes {weir.entry = "clear"} {
  %all = graph.constant dense<0.0> : tensor<5x4xf32>
  graph.write_variable @all, %all : tensor<5x4xf32>
  %none = graph.constant dense<0.0> : tensor<0x4xf32>
  graph.write_variable @none, %none : tensor<0x4xf32>
  return
}
