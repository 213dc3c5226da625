// What a compiled model shows its callers, read off the module's attributes,
// with every name already safe for C.
#ifndef WEIR_COMPILER_EMIT_INTERFACE_H
#define WEIR_COMPILER_EMIT_INTERFACE_H

#include "compiler/Slice.h"
#include "runtime/weir.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace weir {

struct TensorInterface {
  std::string name, tensor; // as the model has them: any bytes
  std::string argument;     // a C identifier, unique in its function
  std::string macro;        // unique in the header
  mlir::RankedTensorType type;
  weir_dtype dtype;
  int64_t elements, bytes;
  /// The input (of an input) or output that holds the sizes, which are then at
  /// most the type's; -1.
  int64_t shapeTensor = -1;
  /// Of what holds sizes: whose they are; -1.
  int64_t shapeOf = -1;
  /// Of a tensor with a shape tensor, and of that: for each dimension the least
  /// size, and its name or nothing.
  std::vector<int64_t> least;
  std::vector<std::string> dims;
  /// What the elements of an i64 tensor are indices of, or the names of the
  /// columns of another one.
  std::vector<std::string> strings;
  /// For each dimension a bit for each axis of the mesh that divides it; empty
  /// for a tensor that is whole on each rank.
  std::vector<int64_t> shards;

  bool isDynamic(size_t dim) const {
    return shapeTensor >= 0 &&
           least[dim] < type.getDimSize(static_cast<unsigned>(dim));
  }
};

struct VariableInterface {
  std::string name, key; // as the model and checkpoints have them: any bytes
  std::string c;         // NAME_var_<name>
  std::string macro;     // unique in the header
  mlir::RankedTensorType type;
  weir_dtype dtype;
  int64_t elements, bytes, offset;
  /// Of the tensor that checkpoints have under the key; nothing where the
  /// variable is all of it.
  std::optional<Slice> slice;
  std::string sliceKey;
  std::vector<int64_t> shards; // as those of a tensor
};

struct FunctionInterface {
  std::string name;   // the signature: any bytes
  std::string symbol; // the entry's LLVM function
  std::string c;      // NAME_<signature>
  std::string device; // of a GPU: NAME_<signature>_device
  bool capturable = false;
  std::vector<TensorInterface> inputs, outputs;
  bool usesState = false; // reads or assigns variables
  bool isInit = false;    // gives them their first values

  size_t numTensors() const { return inputs.size() + outputs.size(); }
  /// C promises 127 parameters (5.2.4.1), of which the context is one;
  /// compilers take time quadratic in how many there are. A function of more
  /// tensors takes the list of their addresses.
  bool takesList() const { return numTensors() > 126; }
};

struct WeightBlob {
  int64_t offset;
  mlir::ElementsAttr elements;
};

/// Code for all kernels of a model, for one kind of GPU.
struct GpuImage {
  bool cubin; // else PTX
  uint32_t sm;
  bool specific;
  llvm::StringRef data;
};

struct GpuKernel {
  std::string name;
  int64_t sharedBytes;
};

/// A product of matrices that a library computes: runtime/cuda/gpu.h.
struct GpuGemm {
  weir_dtype dtype;
  uint32_t flags;
  int64_t m, n, k, lda, ldb, ldd, batch, strideA, strideB, strideD, workspace;
};

/// A convolution that a library computes: runtime/cuda/gpu.h.
struct GpuConv {
  weir_dtype dtype;
  uint32_t flags;
  int64_t images, inputs, outputs, groups;
  std::array<int64_t, 2> size, window, result, strides, dilations, before,
      after;
  int64_t workspace;
  double clip; // with its flag
};

/// An attention that a library computes: runtime/cuda/gpu.h.
struct GpuAttention {
  weir_dtype dtype;
  uint32_t flags;
  int64_t batch, heads, rows, columns, depth, width;
  std::array<int64_t, 3> q, k, v, mask, out;
  int64_t workspace;
  double scale;
};

/// A weir_collective: runtime/comm/steps.h.
struct CollectiveInterface {
  uint32_t kind, combine, axes;
  weir_dtype dtype;
  uint64_t elements, elementBytes, data, scratch;
  std::string node;
  uint32_t function, key;
  int32_t peer;
  uint32_t peers;
  int32_t only;
};

/// What a rank does next, as runtime/comm/info.h has it.
struct ScheduleItem {
  uint32_t function, kind, collective, tasks;
  uint64_t nanoseconds, multiplyAdds, bytes;
};

/// Weights that are divided among ranks: a WeightRegionAttr.
struct RegionInterface {
  int64_t axes, offset, stride;
};

/// The ranks that run the model together.
struct MeshInterface {
  std::vector<std::string> axes;
  std::vector<uint32_t> sizes;
  std::vector<CollectiveInterface> collectives;
  std::vector<RegionInterface> regions;
  int64_t table = 0; // offset in the arena of the addresses of these parts
  std::vector<ScheduleItem> schedule;
  /// Of a cluster: its text, the role of the library and its ranks, and what
  /// all libraries of the partition have in common. Empty, and all ranks.
  std::string cluster, role;
  uint32_t firstRank = 0, numRanks = 0;
  uint64_t fingerprint = 0;

  uint64_t ranks() const;
  /// Whether all ranks write one checkpoint. A task of a cluster writes its own
  /// variables, which no other has.
  bool savesTogether() const { return role.empty(); }
  std::string text() const; // "data=4,model=2", "ps=2,worker=3"
  /// The bytes of weights that one rank reads, of those of the library.
  int64_t ownBytes(int64_t weightsBytes) const;
};

/// The numbers of steps and transfers of the rank that has the most.
struct MeshRoom {
  uint64_t steps = 0, transfers = 0;
};
MeshRoom roomOf(const MeshInterface &mesh);

struct ModelInterface {
  std::string prefix; // of functions: a C identifier
  std::string macro;  // of macros
  std::string source, target;
  std::vector<std::string> isaVariants; // kinds of processors, the best first
  int64_t threads = 1;                  // what a context uses unless it is told
  int64_t arenaBytes = 0, maxLiveBytes = 0, weightsBytes = 0;
  std::vector<WeightBlob> weights;
  std::vector<std::string> checks;
  /// As `weir.check_elements` has them; empty: no check names an element.
  std::vector<int64_t> checkElements;
  std::vector<FunctionInterface> functions;
  bool profile = false; // the product counts the time of its tasks
  bool gpu = false;     // the product is for a GPU
  std::vector<GpuImage> images;
  std::vector<GpuKernel> kernels;
  std::vector<GpuGemm> gemms;
  std::vector<GpuConv> convs;
  std::vector<GpuAttention> attentions;
  int64_t hostBytes = 0; // of memory for what the GPU's host computes
  int64_t stateBytes = 0;
  std::vector<VariableInterface> variables; // by their keys, in order
  std::optional<MeshInterface> mesh;
  bool plainRun = false; // one function but init: NAME_run is its second name

  /// The runtime's function that creates a context, and that which runs a
  /// function of the model.
  std::string creator() const;
  std::string runner() const;

  bool isRun(const FunctionInterface &function) const {
    return plainRun && !function.isInit;
  }
};

/// Reads weir.gpu_images and what goes with them, where the module has them.
llvm::Error readGpu(mlir::ModuleOp module, ModelInterface &model);

/// Reads weir.mesh and weir.collectives, where the module has them.
llvm::Error readMesh(mlir::ModuleOp module, ModelInterface &model);

/// Reads and checks the attributes; `prefix` may be any text.
llvm::Expected<ModelInterface> readInterface(mlir::ModuleOp module,
                                             llvm::StringRef prefix);

/// The type of elements in C, if there is one.
std::optional<weir_dtype> dtypeOf(mlir::Type elementType);
/// As C spells it in a parameter: "float", "weir_f16", ...
llvm::StringRef cType(weir_dtype dtype);
/// The enumerator's name: "WEIR_F32".
llvm::StringRef cEnumerator(weir_dtype dtype);

} // namespace weir

#endif
