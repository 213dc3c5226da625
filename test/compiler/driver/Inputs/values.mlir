// The values of a constant are a resource.
func.func @main(%x: tensor<2xf32> {weir.name = "x", weir.tensor = "x:0"}) -> (tensor<2xf32> {weir.name = "y", weir.tensor = "y:0"}) attributes {weir.entry = "main"} {
  %c = graph.constant dense_resource<c> : tensor<2xf32>
  %y = graph.add %x, %c : tensor<2xf32>
  return %y : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      c: "0x040000000000803F00000040"
    }
  }
#-}
