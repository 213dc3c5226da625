// The buffers of one program, and their lifetimes.

#ifndef WEIR_PASSES_PLAN_BUFFERS_H
#define WEIR_PASSES_PLAN_BUFFERS_H

#include "dialects/plan/Plan.h"
#include "dialects/plan/Tasks.h"
#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir::plan {

/// The memref type of a tensor, in row-major order without padding.
mlir::MemRefType memrefOf(mlir::Type tensor);

/// Offsets in the block of weights, which the entries of a module share.
class Weights {
public:
  /// An offset, in a rank's own bytes of a region unless that is 0.
  struct Position {
    int64_t offset, region;
  };

  Position positionOf(mlir::ElementsAttr value, mlir::MemRefType type);
  /// Puts the regions behind the weights that all ranks share. Later `bytes`
  /// counts them.
  llvm::SmallVector<WeightRegionAttr> placeRegions(mlir::MLIRContext *context);
  int64_t bytes() const { return end; }
  llvm::ArrayRef<WeightAttr> attributes() const { return list; }

private:
  /// Weights that are divided along the same axes.
  struct Region {
    int64_t axes, stride, parts;
  };

  llvm::DenseMap<mlir::Attribute, Position> positions;
  llvm::SmallVector<WeightAttr> list;
  llvm::SmallVector<Region> regions;
  int64_t end = 0;
};

/// Offsets in the block of state, which the entries of a module share. The
/// variables are in the order of the module.
class State {
public:
  explicit State(mlir::ModuleOp module);
  int64_t offsetOf(mlir::StringAttr variable) const {
    return offsets.lookup(variable);
  }
  int64_t bytes() const { return end; }
  llvm::ArrayRef<VariableAttr> attributes() const { return list; }

private:
  llvm::DenseMap<mlir::StringAttr, int64_t> offsets;
  llvm::SmallVector<VariableAttr> list;
  int64_t end = 0;
};

/// Creates buffers and records when each is used. Time is counted in tasks; a
/// group of independent tasks has one time. A buffer of the arena is live from
/// its first to its last use.
class Buffers {
public:
  Buffers(plan::ProgramOp program, Weights &weights)
      : program(program), weights(weights) {}

  int64_t now() const { return moment; }
  void advance() { ++moment; }

  mlir::Value argument(mlir::Location loc, int64_t index, mlir::Type type);
  mlir::Value weight(mlir::Location loc, mlir::ElementsAttr value,
                     mlir::Type type, bool host = false);
  mlir::Value state(mlir::Location loc, int64_t offset, mlir::Type type);
  /// Creates a buffer that is not live before the next `touch`.
  mlir::Value create(mlir::Location loc, mlir::MemRefType type,
                     bool host = false);
  /// The elements of `source` from `start` on, as a buffer of `type`.
  mlir::Value view(mlir::Location loc, mlir::Value source,
                   mlir::MemRefType type, int64_t start = 0);

  /// The buffer of which `memref` is a view, or `memref` itself.
  static mlir::Value root(mlir::Value memref);
  /// Records a use at the current time.
  void touch(mlir::Value memref);
  /// Extends lifetimes to the current time: of each buffer with a use before
  /// the time `start` and one since then, and of `others`. The end of a loop
  /// calls it, since each iteration reads such buffers.
  void keep(int64_t start, llvm::ArrayRef<mlir::Value> others);

  /// Assigns an offset to each buffer of the arena, or of the arena of a GPU's
  /// host. Returns the size of that arena and a lower bound of it, in bytes.
  std::pair<int64_t, int64_t> assignOffsets(bool host);

private:
  /// Creates an op before all tasks, where it dominates nested ones.
  template <typename Op, typename... Args>
  Op make(mlir::Location loc, Args &&...args);

  plan::ProgramOp program;
  Weights &weights;
  mlir::Operation *last = nullptr;
  llvm::SmallVector<plan::BufferOp> buffers;
  int64_t moment = 0;
};

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_BUFFERS_H
