// The kernels.

#ifndef WEIR_DIALECTS_KERNEL_OPS
#define WEIR_DIALECTS_KERNEL_OPS

include "dialects/kernel/KernelBase.td"

def Kernel_YieldOp : Op<Kernel_Dialect, "yield", [Terminator, Pure]> {
  let summary = "The value that the epilogue stores";
  let description = [{
    ```mlir
    kernel.yield %v : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kernel_MatmulOp : Op<Kernel_Dialect, "matmul", [SingleBlock]> {
  let summary = "C = epilogue(A * B) for packed B";
  let description = [{
    `a` is `M x K` in rows; `b` is packed as `ceil(N/NR) x K x NR`, padded with
    zeros; `c` is `M x N`. The epilogue's arguments are the sum, its row and its
    column; it may load from memrefs at `[row, column]`, `[column]`, `[row]` or
    `[]`.

    ```mlir
    kernel.matmul %a, %b, %c : memref<4x8xf32>, memref<1x8x32xf32>, memref<4x20xf32> {
    ^bb0(%sum: f32, %row: index, %column: index):
      kernel.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$c);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict-with-keyword `:` type($a) `,` type($b) `,` type($c) $epilogue
  }];
}

#endif // WEIR_DIALECTS_KERNEL_OPS
