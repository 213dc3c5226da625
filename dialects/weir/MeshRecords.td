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

def Weir_Cluster : Weir_Record<"Cluster", "cluster"> {
  let summary = "The tasks that run a model together, and which of them is this";
  let description = [{
    `jobs` are the names of the jobs and `sizes` their numbers of tasks. A task
    is a rank: those of the first job come first. The tasks of the job
    `replicas`, if it is not empty, have one role: they run one program, each on
    its part of the batch. Each other task is a role of its own. `role` is the
    role that the module is for; empty in a program of all roles. `fingerprint`
    is equal in all roles of one partition, and differs between partitions.
  }];
  let parameters = (ins
    List:$jobs,
    Integers:$sizes,
    Text<>:$replicas,
    Text<>:$role,
    Number<0>:$fingerprint);
  let extraClassDeclaration = [{
    /// The cluster of the module around `op`, or of a module around that; null
    /// where there is none. This is the only reader of `weir.cluster`.
    static ClusterAttr of(::mlir::Operation *op);

    /// All roles, in the order of their ranks.
    ::llvm::SmallVector<ClusterRole> roles() const;
    /// The role with the name, or none.
    std::optional<ClusterRole> roleOf(::llvm::StringRef name) const;
    /// The role of a task that the cluster has.
    ClusterRole roleOf(::llvm::StringRef job, uint64_t task) const;
    /// The number of tasks of the job, or 0 if the cluster has no such job.
    int64_t sizeOf(::llvm::StringRef job) const;
    /// The number of tasks of all jobs.
    int64_t ranks() const;
    /// "ps=2,worker=3"
    std::string text() const;
  }];
}

def Weir_Collective : Weir_Record<"Collective", "collective"> {
  let summary = "A collective operation of an entry";
  let description = [{
    `kind` is `all_reduce`, `all_gather`, `own_part`, `reduce_scatter`, `send` or
    `recv`. `combine` is `sum`, `max`
    or `min`, for an all-reduce. `axes` has a bit for each axis of the mesh. `type`
    is the tensor that the operation works on: of a reduction its operand, of
    the others the part of one rank. `data` is the offset in the arena of the
    tensor that ranks exchange, and `scratch` that of what they receive to
    combine. `node` is the node of the model that needs the operation,
    and `entry` the number of the function in `weir.entries`. `key` is the number
    that messages of the operation have on all ranks; -1 stands for its index.

    A `send` or a `recv` exchanges with the ranks from `peer` to `peer + peers - 1`.
    `type` is what one of them gets or sends. If `only` is a rank, the others do
    nothing.
  }];
  let parameters = (ins
    Text<"all_reduce">:$kind,
    Text<"sum">:$combine,
    Number<0>:$axes,
    "::mlir::RankedTensorType":$type,
    Number<0>:$data,
    Number<0>:$scratch,
    Text<>:$node,
    Number<0>:$entry,
    Number<-1>:$key,
    Number<0>:$peer,
    Number<0>:$peers,
    Number<-1>:$only);
}

def Weir_Parts : AttrDef<Weir_Dialect, "Parts", [ElementsAttrInterface]> {
  let summary = "A constant that is divided among ranks";
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

    ::mlir::ShapedType getType() const;
    bool isSplat() const { return false; }
  }];
}

def Weir_WeightRegion : Weir_Record<"WeightRegion", "weight_region"> {
  let summary = "Weights that are divided among ranks";
  let description = [{
    The block of weights has them from `offset` on: for each index of a rank
    along `axes`, a bit for each axis of the mesh, `stride` bytes. The offsets of
    its weights begin there.
  }];
  let parameters = (ins Number<0>:$axes, Number<0>:$offset, Number<0>:$stride);
}

def Weir_ScheduleItem : Weir_Record<"ScheduleItem", "schedule_item"> {
  let summary = "A step of the schedule of a rank";
  let description = [{
    `kind` is `compute`, `start`, `progress` or `wait`. `entry` is the number of the
    function in `weir.entries`. `start` begins operation `collective` of
    `weir.collectives`, and `wait` ends it. `progress` continues all that have begun. The
    other numbers are of `compute`. They count the kernels and copies up to the next
    item, and the estimated nanoseconds on one thread. `multiply_adds` are those of
    products and convolutions, and `bytes` those that kernels read and write. Tasks of a loop or of a branch count once.
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
