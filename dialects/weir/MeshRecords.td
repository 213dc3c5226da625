// The records of libraries for several ranks. Records.td includes the file.

#ifndef WEIR_DIALECTS_WEIR_MESH_RECORDS
#define WEIR_DIALECTS_WEIR_MESH_RECORDS

def Weir_Mesh : Weir_Record<"Mesh", "mesh"> {
  let summary = "The ranks that run a library together, as a grid";
  let description = [{
    `axes` are the names of the grid's axes and `sizes` their numbers of ranks.
    The last axis varies fastest: on `<axes = ["data", "model"], sizes =
    [2, 4]>` rank 5 has index 1 on `data` and 1 on `model`.
  }];
  let parameters = (ins List:$axes, Integers:$sizes);
  let extraClassDeclaration = [{
    /// The mesh of the module around `op`; null for a library of one rank. This
    /// is the only reader of `weir.mesh`.
    static MeshAttr of(::mlir::Operation *op);

    /// The number of ranks.
    int64_t ranks() const;
    /// The number of ranks along the axis, or 0 if the mesh has no such axis.
    int64_t sizeOf(::llvm::StringRef axis) const;
    /// The number of ranks of the grid of these axes, an array of strings; 0 if
    /// the mesh lacks one of them.
    int64_t sizeOf(::mlir::ArrayAttr axes) const;
    /// One bit for each of these axes: bit i is axis i of the mesh.
    int64_t bitsOf(::mlir::ArrayAttr axes) const;
  }];
}

def Weir_Collective : Weir_Record<"Collective", "collective"> {
  let summary = "A collective operation of an entry";
  let description = [{
    `kind` is `all_reduce`, `all_gather`, `own_part` or `reduce_scatter`. `combine` is `sum`, `max`
    or `min`, for an all-reduce. `axes` has a bit for each axis of the mesh. `type`
    is the tensor that the operation works on: of a reduction its operand, of
    the others the part of one rank. `data` is the offset in the arena of the
    tensor that ranks exchange, and `scratch` that of what they receive to
    combine. `node` is the node of the model that needs the operation,
    and `entry` the number of the function in `weir.entries`.
  }];
  let parameters = (ins
    Text<"all_reduce">:$kind,
    Text<"sum">:$combine,
    Number<0>:$axes,
    "::mlir::RankedTensorType":$type,
    Number<0>:$data,
    Number<0>:$scratch,
    Text<>:$node,
    Number<0>:$entry);
}

def Weir_Parts : AttrDef<Weir_Dialect, "Parts", [ElementsAttrInterface]> {
  let summary = "A constant of which each rank has another part";
  let mnemonic = "parts";
  let description = [{
    Ranks differ by their indices along `axes`, a bit for each axis of the mesh;
    `elements` has one part for each index, all of one type. The type of the
    attribute is that of a part. Its elements are not known before the run, so
    nothing folds it.
  }];
  let parameters = (ins Number<0>:$axes, List:$elements);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The parts of such a constant, or the constant itself.
    static ::llvm::SmallVector<::mlir::ElementsAttr, 1>
    of(::mlir::ElementsAttr value);
    /// The same constant with other parts, or the only one of `parts`.
    static ::mlir::ElementsAttr
    replace(::mlir::ElementsAttr value,
            ::llvm::ArrayRef<::mlir::ElementsAttr> parts);

    ::mlir::Type getType() const;
    bool isSplat() const { return false; }
  }];
}

def Weir_WeightRegion : Weir_Record<"WeightRegion", "weight_region"> {
  let summary = "Weights of which each rank has another part";
  let description = [{
    The block of weights has them from `offset` on: for each index of a rank
    along `axes`, a bit for each axis of the mesh, `stride` bytes. The offsets of
    its weights begin there.
  }];
  let parameters = (ins Number<0>:$axes, Number<0>:$offset, Number<0>:$stride);
}

def Weir_ScheduleItem : Weir_Record<"ScheduleItem", "schedule_item"> {
  let summary = "What a rank does next in a run of an entry";
  let description = [{
    `kind` is `compute`, `start`, `progress` or `wait`. `entry` is the number of the
    function in `weir.entries`. `start` begins operation `collective` of
    `weir.collectives`, and `wait` ends it. `progress` continues all that have begun. The
    other numbers are of `compute`: the kernels and copies up to the next item, the
    estimated time on one thread, the multiply-adds of products and convolutions, and
    the bytes that kernels read and write. Tasks of a loop or of a branch count once.
  }];
  let parameters = (ins
    Text<"compute">:$kind,
    Number<0>:$entry,
    Number<0>:$collective,
    Number<0>:$tasks,
    Number<0>:$nanoseconds,
    Number<0>:$multiply_adds,
    Number<0>:$bytes);
}

#endif // WEIR_DIALECTS_WEIR_MESH_RECORDS
