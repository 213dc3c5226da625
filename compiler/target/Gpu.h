// The GPU to compile for, as options give it and the module has it.
#ifndef WEIR_COMPILER_TARGET_GPU_H
#define WEIR_COMPILER_TARGET_GPU_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace weir {

struct GpuOptions {
  std::string kind; // cuda or sim; empty: kernels are for the CPU
  std::vector<std::string> archs = {};
  // What libraries do: auto, or names with commas between them; none: nothing.
  std::string library = {};
  std::vector<std::string> places = {}; // REGEX:cpu or REGEX:gpu, of nodes

  bool isOn() const { return !kind.empty(); }
};

/// Sets the module's `weir.gpu`: the kind, the library, the places of nodes,
/// and the architectures without repetitions, the oldest first. The module has
/// its `weir.target`. An error names what is not known.
llvm::Error writeGpu(mlir::ModuleOp module, const GpuOptions &options);

} // namespace weir

#endif
