// Guards the loads and stores of a kernel by checks of their indices.

#ifndef WEIR_PASSES_CPU_BOUNDS_ACCESSCHECKS_H
#define WEIR_PASSES_CPU_BOUNDS_ACCESSCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace weir::cpu {

/// What an access may violate: the bound of one dimension of a buffer, or the
/// bound of all its elements. Accesses that violate the same one share a
/// message.
struct AccessSite {
  /// The argument of the kernel, or -1 for memory of the kernel itself.
  int64_t argument = -1;
  mlir::Type type;
  /// The dimension, or -1 for the elements in memory order.
  int64_t dim = -1;
  bool isStore = false;

  auto key() const {
    return std::make_tuple(argument, type.getAsOpaquePointer(), dim, isStore);
  }
};

/// The record of violations of a run: of the first one the number of its site,
/// counted from 1, and the index; and how many there were.
mlir::MemRefType recordType(mlir::MLIRContext *context);

/// The function that writes a record if it has none: (record, site, index).
mlir::func::FuncOp buildRecorder(mlir::ModuleOp module);

/// Guards the accesses of `kernel` whose indices are not known to be in bounds.
/// One that is not does not happen: `recorder` records it, and a load is 0.
/// Returns the sites, whose numbers the records have.
llvm::SmallVector<AccessSite> guardAccesses(mlir::func::FuncOp kernel,
                                            mlir::Value record,
                                            mlir::func::FuncOp recorder);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_BOUNDS_ACCESSCHECKS_H
