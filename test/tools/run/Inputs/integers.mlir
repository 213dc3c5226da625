func.func @main(%x: tensor<3xi64> {weir.name = "x", weir.tensor = "x"}) -> (tensor<3xi64> {weir.name = "y", weir.tensor = "y"}) attributes {weir.entry = "main"} {
  return %x : tensor<3xi64>
}
