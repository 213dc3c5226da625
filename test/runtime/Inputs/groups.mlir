// Groups of warps of a Hopper GPU compute a product in five slices.
module attributes {weir.gpu = #weir.gpu<kind = "sim", archs = ["sm_90a"]>} {
  func.func @product(%a: tensor<128x320xf16> {weir.name = "a"}, %b: tensor<320x64xf16> {weir.name = "b"}) -> (tensor<128x64xf16> {weir.name = "y"}) attributes {weir.entry = "product"} {
    %y = graph.matmul %a, %b : tensor<128x320xf16>, tensor<320x64xf16>
    return %y : tensor<128x64xf16>
  }
}
