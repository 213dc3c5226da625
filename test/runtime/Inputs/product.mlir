// Matrix units of a GPU compute a product in three slices.
module attributes {weir.gpu = #weir.gpu<kind = "sim", archs = ["sm_80"]>} {
  func.func @product(%a: tensor<64x96xf16> {weir.name = "a"}, %b: tensor<96x64xf16> {weir.name = "b"}) -> (tensor<64x64xf16> {weir.name = "y"}) attributes {weir.entry = "product"} {
    %y = graph.matmul %a, %b : tensor<64x96xf16>, tensor<96x64xf16>
    return %y : tensor<64x64xf16>
  }
}
