// The schedules of kernels in C++.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_SCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_SCHEDULE_H

#include "dialects/kernel/Attributes.h"
#include "dialects/weir/NamePattern.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace weir::kernel {

/// The module attribute with an array of ScheduleOverrideAttr.
inline constexpr llvm::StringLiteral overridesName =
    "kernel.schedule_overrides";

/// The names of the nodes in the location of `op`, each once. A function of a
/// kernel has all nodes that the kernel computes.
llvm::SmallVector<llvm::StringRef> nodesOf(mlir::Operation *op);

/// The names by which an override finds the op of a kernel: its own nodes, and
/// those of its function that no other op of the kernel dialect there has, such
/// as the nodes of an epilogue.
llvm::SetVector<llvm::StringRef> namesOf(mlir::Operation *kernel);

/// An override with its pattern, compiled once.
struct Override {
  explicit Override(ScheduleOverrideAttr attr);
  /// Whether it applies to a kernel of this algorithm.
  bool appliesTo(mlir::Operation *kernel, Algorithm algorithm) const;

  ScheduleOverrideAttr attr;

private:
  NamePattern node;
};

/// The overrides of `op`, or of the first module around it that has any.
std::vector<Override> overridesOf(mlir::Operation *op);

/// The parameters that the overrides fix for a kernel of this algorithm; null
/// if they fix none.
mlir::DictionaryAttr fixedParameters(llvm::ArrayRef<Override> overrides,
                                     mlir::Operation *kernel,
                                     Algorithm algorithm);

/// The trait of ops with an attribute `schedule`.
template <typename Op>
struct HasSchedule : mlir::OpTrait::TraitBase<Op, HasSchedule> {
  /// Runs after the op has checked its own shapes.
  static mlir::LogicalResult verifyRegionTrait(mlir::Operation *op) {
    return verifySchedule(op);
  }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_SCHEDULE_H
