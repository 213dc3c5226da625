// The sums of a tile stay in registers, because code generation leaves the loads of a
// kernel at their uses. (A core with two multiply-adds a cycle has higher tiles, with
// spilled partial sums on the stack. Batches do not use inner-product pairing.)

// RUN: weir compile %s --target=x86_64-linux-gnu -mcpu=znver4 -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --implicit-check-not="zmm{{.*}}rsp{{.*}}" --implicit-check-not="rsp{{.*}}zmm"
// CHECK-COUNT-112: vfmadd231ps

func.func @product(%a: tensor<2x512x512xf32> {weir.name = "a", weir.tensor = "a:0"}, %b: tensor<2x512x512xf32> {weir.name = "b", weir.tensor = "b:0"}) -> (tensor<2x512x512xf32> {weir.name = "y", weir.tensor = "y:0"}) attributes {weir.entry = "main"} {
  %y = graph.matmul %a, %b : tensor<2x512x512xf32>, tensor<2x512x512xf32>
  return %y : tensor<2x512x512xf32>
}
