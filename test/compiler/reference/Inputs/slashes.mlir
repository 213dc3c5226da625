func.func @main(%x: tensor<1xf32> {weir.name = "a/b", weir.tensor = "a/b"}, %y: tensor<1xf32> {weir.name = "a:b", weir.tensor = "a:b"}) -> (tensor<1xf32>, tensor<1xf32>) {
  return %x, %y : tensor<1xf32>, tensor<1xf32>
}
