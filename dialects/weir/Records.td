// The records among the attributes that stages communicate by.

#ifndef WEIR_DIALECTS_WEIR_RECORDS
#define WEIR_DIALECTS_WEIR_RECORDS

include "dialects/weir/WeirBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Weir_Record<string name, string mnemonic_> : AttrDef<Weir_Dialect, name> {
  let mnemonic = mnemonic_;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

/// A flag that is false unless it is written.
def Flag : DefaultValuedParameter<"bool", "false">;

/// A number with a default value, which is not printed.
class Number<int default> : DefaultValuedParameter<"int64_t", !cast<string>(default)>;

class Text<string default = ""> : StringRefParameter<"", "\"" # default # "\"">;

def Integers : AttrParameter<"::mlir::DenseI64ArrayAttr", "">;
def OptionalIntegers : OptionalParameter<"::mlir::DenseI64ArrayAttr">;
/// An array, which is empty unless it is written.
def List : DefaultValuedParameter<"::mlir::ArrayAttr", "::mlir::ArrayAttr::get($_ctxt, {})">;

include "dialects/weir/MeshRecords.td"

def Weir_Target : Weir_Record<"Target", "target"> {
  let summary = "The processor that code is for";
  let description = [{
    Sizes of registers are in bits, those of caches in bytes of one core.
    `panel_bits`, if it is not 0, is the width of the vectors that weights are
    packed for, which variants for several processors share. `vector_registers`
    is 0 if it follows from the architecture and the width. `fma_rate` is the
    number of vector multiply-adds that the core begins in a cycle;
    `adds_beside` means that it begins as many additions in the same cycles.
  }];
  let parameters = (ins
    Text<"x86_64-unknown-linux-gnu">:$triple,
    Text<"x86-64">:$cpu,
    Text<>:$features,
    Number<512>:$vector_bits,
    Number<0>:$panel_bits,
    Number<0>:$vector_registers,
    Number<32768>:$l1,
    Number<1048576>:$l2,
    DefaultValuedParameter<"bool", "true">:$fma,
    Number<1>:$fma_rate,
    Flag:$adds_beside);
  let extraClassDeclaration = [{
    /// The target of the module around `op`, or of a module around that; the
    /// default where there is none. This is the only reader of `weir.target`.
    static TargetAttr of(::mlir::Operation *op);

    /// Whether the feature string turns this LLVM feature on.
    bool has(::llvm::StringRef feature) const;
    bool isArm() const { return getTriple().starts_with("aarch64"); }
    /// Whether weights have the layout of variants for other processors.
    bool sharesPanels() const { return getPanelBits() != 0; }
    /// Bits of the vectors that weights are packed for.
    int64_t panelWidth() const {
      return sharesPanels() ? getPanelBits() : getVectorBits();
    }
    int64_t registers() const;
  }];
}

def Weir_Gpu : Weir_Record<"Gpu", "gpu"> {
  let summary = "The kind of GPU that kernels are for";
  let description = [{
    `kind` is `cuda` or `sim`, the simulator. PTX is for the first of `archs`;
    with `cubins` there is machine code for each of them. `library` is `auto`,
    or names of libraries with commas between them. `place` has the rules
    REGEX:cpu and REGEX:gpu of `--place`.
  }];
  let parameters = (ins
    Text<"cuda">:$kind,
    List:$archs,
    Flag:$cubins,
    Text<>:$library,
    List:$place);
  let extraClassDeclaration = [{
    /// The GPU that the module around `op` is for, or a module around that. Null
    /// in a module for a processor, as are the kernels of a GPU's host.
    static GpuAttr of(::mlir::Operation *op);

    bool isSimulated() const { return getKind() == "sim"; }
    /// The first architecture; empty if there is none.
    ::llvm::StringRef firstArch() const;
  }];
}

def Weir_Tensor : Weir_Record<"Tensor", "tensor"> {
  let summary = "An input or output of an entry";
  let description = [{
    `name` is the name in the library, and `tensor` that in the model. With
    `shape_of` the tensor has the actual sizes of the input or output with this
    number: `least` has the smallest size of each dimension, and `dims` its
    name. `strings` are the texts that the numbers of the tensor stand for.
    `shards` has for each dimension a bit for each axis of the mesh that divides
    it: the type is then that of one rank's part.
  }];
  let parameters = (ins
    Text<>:$name,
    Text<>:$tensor,
    "::mlir::RankedTensorType":$type,
    Number<-1>:$shape_of,
    OptionalIntegers:$least,
    List:$dims,
    List:$strings,
    OptionalIntegers:$shards);
  let extraClassDeclaration = [{
    /// The tensor of this type that the attributes of an argument or a result
    /// describe; they may be null.
    static TensorAttr of(::mlir::DictionaryAttr attributes,
                         ::mlir::RankedTensorType type);
  }];
}

def Weir_Entry : Weir_Record<"Entry", "entry"> {
  let summary = "A function that programs call";
  let description = [{
    `symbol` is an LLVM function `i32 symbol(ptr arena, ptr weights, ptr
    tensors, ptr team)`. It returns 0, or k if check k failed; nothing is
    assigned after a check that fails. The team is the threads that share the
    work of the run (`weir_parallel` in `runtime/abi.h`). In a model with
    variables it has one more argument, `ptr state`.

    With `state` the entry uses variables, and with `init` it assigns their
    first values. For a GPU, all memory is the device's, and the team is a
    stream, to which the entry issues work by the functions of
    `runtime/cuda/gpu.h`. A `capturable` entry reads nothing back: it runs once,
    at create, while the driver records a CUDA graph.
  }];
  let parameters = (ins
    Text<>:$name,
    Text<>:$symbol,
    List:$inputs,
    List:$outputs,
    Flag:$state,
    Flag:$init,
    Flag:$capturable);
}

def Weir_Variable : Weir_Record<"Variable", "variable"> {
  let summary = "A variable in the block of state";
  let description = [{
    `key` is the name in checkpoints. With `slice` the variable is that slice
    of the tensor with the key, as TensorFlow writes it: `8 4 0,4:-`. `shards`
    has for each dimension a bit for each axis of the mesh that divides it; the
    type is that of one rank's part.
  }];
  let parameters = (ins
    Text<>:$name,
    Text<>:$key,
    Number<0>:$offset,
    "::mlir::RankedTensorType":$type,
    Text<>:$slice,
    OptionalIntegers:$shards);
}

def Weir_Weight : Weir_Record<"Weight", "weight"> {
  let summary = "A constant in the block of weights";
  let description = [{
    With a `region`, counted from 1 in `weir.weight_regions`, `elements` are
    parts, and `offset` is that in the rank's own bytes of the region.
  }];
  let parameters = (ins
    Number<0>:$offset,
    Number<0>:$region,
    AttrParameter<"::mlir::ElementsAttr", "">:$elements);
}

def Weir_RowBlocks : Weir_Record<"RowBlocks", "row_blocks"> {
  let summary = "The work items of a kernel in row-wise fusion";
  let description = [{
    `rows` is the number of rows of the results, and `size` the number of rows
    of a work item, which divides it.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$size);
  let extraClassDeclaration = [{
    /// The number of work items.
    int64_t count() const { return getRows() / getSize(); }
  }];
}

def Weir_Work : Weir_Record<"Work", "work"> {
  let summary = "The work of a kernel, for a profile or the schedule of ranks";
  let description = [{
    `inputs` is the number of arguments that the kernel reads; those that it
    writes follow. `multiply_adds` counts matrix products and convolutions by
    their definition.
  }];
  let parameters = (ins Number<0>:$inputs, Number<0>:$multiply_adds);
}

def Weir_ProfileTask : Weir_Record<"ProfileTask", "profile_task"> {
  let summary = "A task that a profile counts";
  let description = [{
    `entry` is the number of the function in `weir.entries`. `kernel` has the
    names of the task's kernels with " + " between them, or is `copy`. `nodes`
    are the names of the model's nodes that the task computes. `phase` counts the
    tasks of a kernel that has barriers. The other numbers are of one call, in
    the first of these tasks: the bytes of the operands that it reads and writes,
    and the multiply-adds.
  }];
  let parameters = (ins
    Number<0>:$entry,
    Text<>:$kernel,
    List:$nodes,
    Number<0>:$phase,
    Number<0>:$bytes_read,
    Number<0>:$bytes_written,
    Number<0>:$multiply_adds);
}

def Weir_Launch : Weir_Record<"Launch", "launch"> {
  let summary = "The launch of a GPU's kernel";
  let description = [{
    The blocks of the grid, and the threads of a block.
  }];
  let parameters = (ins "int64_t":$blocks, "int64_t":$threads);
}

def Weir_GpuImage : Weir_Record<"GpuImage", "gpu_image"> {
  let summary = "Code of all kernels for a GPU";
  let description = [{
    `kind` is `ptx` or `cubin`. `sm` is ten times the major number of the
    compute capability plus the minor one. With `specific` only devices of
    exactly that capability run the image (`sm_90a`).
  }];
  let parameters = (ins
    Text<>:$kind,
    Number<0>:$sm,
    Flag:$specific,
    Text<>:$data);
  let extraClassDeclaration = [{
    bool isCubin() const { return getKind() == "cubin"; }
  }];
}

def Weir_GpuKernel : Weir_Record<"GpuKernel", "gpu_kernel"> {
  let summary = "A kernel that images have";
  let description = [{
    `shared` is the maximum dynamic shared memory of a launch, in bytes.
  }];
  let parameters = (ins Text<>:$name, Number<0>:$shared);
}

def Weir_LibraryCall : Weir_Record<"LibraryCall", "library_call"> {
  let summary = "The call of a GPU library that computes a run of a kernel";
  let description = [{
    `function` is the runtime's, and `number` that of the row in its table.
    `operands` has the numbers of the run's operands that the function reads,
    or -1 for none.
  }];
  let parameters = (ins
    Text<>:$function,
    Number<0>:$number,
    Integers:$operands);
}

def Weir_Gemm : Weir_Record<"Gemm", "gemm"> {
  let summary = "A matrix product that cuBLASLt computes";
  let description = [{
    The product of `m` x `k` and `k` x `n`, `batch` times. A leading dimension
    (`lda`, `ldb`, `ldd`) of 0 and a stride of -1 are those of operands that are
    row-major without gaps. `unaligned` means that operands need not be aligned
    to 16 bytes. `workspace` is in bytes. On a kernel, `operands` has the
    numbers of the arguments that are a, b and the bias, or -1.
  }];
  let parameters = (ins
    Number<0>:$m,
    Number<0>:$n,
    Number<0>:$k,
    Number<1>:$batch,
    "::mlir::FloatType":$dtype,
    Flag:$transpose_a,
    Flag:$transpose_b,
    Flag:$bias,
    Flag:$relu,
    Flag:$tf32,
    Flag:$unaligned,
    Number<0>:$lda,
    Number<0>:$ldb,
    Number<0>:$ldd,
    Number<-1>:$stride_a,
    Number<-1>:$stride_b,
    Number<-1>:$stride_d,
    Number<0>:$workspace,
    OptionalIntegers:$operands);
  let extraClassDeclaration = [{
    /// The row of the table: the same product without the kernel's operands.
    GemmAttr asRow(bool isAligned) const;
  }];
}

def Weir_Conv : Weir_Record<"Conv", "conv"> {
  let summary = "A convolution that cuDNN computes";
  let description = [{
    The layout of images is `images`, `size`, `inputs`, and that of filters is
    `outputs`, `window`, `inputs / groups`. The sizes of the result follow. With
    `gradient` the row computes the gradient by the filter, from the images and
    the gradient of the results. `clip` is the bound of a relu, or 0. On a
    kernel, `operands` has the numbers of the arguments that are images, filter,
    bias and residual, or -1.
  }];
  let parameters = (ins
    Number<0>:$images,
    Number<0>:$inputs,
    Number<0>:$outputs,
    Number<1>:$groups,
    Integers:$size,
    Integers:$window,
    Integers:$strides,
    Integers:$dilations,
    Integers:$padding_low,
    Integers:$padding_high,
    "::mlir::FloatType":$dtype,
    Flag:$bias,
    Flag:$residual,
    Flag:$relu,
    OptionalParameter<"::mlir::FloatAttr">:$clip,
    Flag:$gradient,
    Flag:$tf32,
    Flag:$unaligned,
    Number<0>:$workspace,
    OptionalIntegers:$operands);
  let extraClassDeclaration = [{
    /// The size of the result along a dimension; negative where the window is
    /// larger than the image.
    int64_t resultSize(unsigned i) const;
    /// The row of the table: the same convolution without the kernel's operands.
    ConvAttr asRow(bool isAligned) const;
  }];
}

def Weir_Attention : Weir_Record<"Attention", "attention"> {
  let summary = "An attention that cuDNN computes";
  let description = [{
    `q`, `k`, `v`, `mask` and `out` are the strides, in elements, of batches,
    heads and rows. A stride of a mask is 0 if one mask serves all. On a kernel,
    `operands` has the numbers of the arguments that are q, k, v and the mask,
    or -1.
  }];
  let parameters = (ins
    Number<0>:$batch,
    Number<0>:$heads,
    Number<0>:$rows,
    Number<0>:$columns,
    Number<0>:$depth,
    Number<0>:$width,
    Integers:$q,
    Integers:$k,
    Integers:$v,
    OptionalIntegers:$mask,
    Integers:$out,
    AttrParameter<"::mlir::FloatAttr", "">:$scale,
    "::mlir::FloatType":$dtype,
    Flag:$unaligned,
    Number<0>:$workspace,
    OptionalIntegers:$operands);
  let extraClassDeclaration = [{
    /// The row of the table: the same attention without the kernel's operands.
    AttentionAttr asRow(bool isAligned) const;
  }];
}

#endif // WEIR_DIALECTS_WEIR_RECORDS
