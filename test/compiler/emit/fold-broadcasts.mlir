// With two multiply-adds a cycle, some multiply-adds read their factors from memory, at
// an address without an index. With one, none do, because there is time for the loads.
// Batches do not use inner-product pairing.

// RUN: weir compile %s --target=x86_64-linux-gnu -mcpu=x86-64-v4 -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --implicit-check-not="r{{..}},%r{{.*}}{1to16}"
// CHECK-COUNT-8: vfmadd231ps {{.*}}(%r{{..}}){1to16}, %zmm

// RUN: weir compile %s --target=x86_64-linux-gnu -mcpu=znver4 -o %t.znver4.o
// RUN: llvm-objdump -d %t.znver4.o | FileCheck %s --check-prefix=ONE --implicit-check-not="{1to16}"
// ONE: vbroadcastss
// ONE: vfmadd231ps

func.func @product(%a: tensor<2x512x768xf32> {weir.name = "a", weir.tensor = "a:0"}, %b: tensor<2x768x768xf32> {weir.name = "b", weir.tensor = "b:0"}) -> (tensor<2x512x768xf32> {weir.name = "y", weir.tensor = "y:0"}) attributes {weir.entry = "main"} {
  %y = graph.matmul %a, %b : tensor<2x512x768xf32>, tensor<2x768x768xf32>
  return %y : tensor<2x512x768xf32>
}
