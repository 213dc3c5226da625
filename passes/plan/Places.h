// Places of one program: where values lie, and from when to when.

#ifndef WEIR_PASSES_PLAN_PLACES_H
#define WEIR_PASSES_PLAN_PLACES_H

#include "dialects/plan/Plan.h"
#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The memref of a tensor's bytes.
mlir::MemRefType placeType(mlir::Type tensor);

/// Bytes of a tensor at a boundary; a truth value takes a byte. Importing has
/// checked that this does not overflow.
int64_t bytesOf(mlir::MemRefType type);

/// The block of weights, shared by the entries of the module.
class Weights {
public:
  int64_t place(mlir::ElementsAttr value, mlir::MemRefType type);
  int64_t bytes() const { return end; }
  llvm::ArrayRef<WeightAttr> attributes() const { return list; }

private:
  llvm::DenseMap<mlir::Attribute, int64_t> offsets;
  llvm::SmallVector<WeightAttr> list;
  int64_t end = 0;
};

/// The block of state, shared by the entries of the module: its variables in
/// the order in which they stand.
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

/// Moments are counted task by task, but waves as one; a buffer of the arena
/// lives from its first use to its last.
class Places {
public:
  Places(plan::ProgramOp program, Weights &weights)
      : program(program), weights(weights) {}

  int64_t now() const { return moment; }
  void advance() { ++moment; }

  mlir::Value argument(mlir::Location loc, int64_t index, mlir::Type type);
  mlir::Value weight(mlir::Location loc, mlir::ElementsAttr value,
                     mlir::Type type, bool host = false);
  mlir::Value state(mlir::Location loc, int64_t offset, mlir::Type type);
  /// A buffer that is first used at the next `touch`.
  mlir::Value buffer(mlir::Location loc, mlir::MemRefType type,
                     bool host = false);
  /// The elements of `source` from `start` on, as a buffer of `type`.
  mlir::Value view(mlir::Location loc, mlir::Value source,
                   mlir::MemRefType type, int64_t start = 0);

  /// The place that `place` is a view of, or itself.
  static mlir::Value root(mlir::Value place);
  /// Says that a place is used now.
  void touch(mlir::Value place);
  /// Says that what is used before and since the moment `start`, and `others`
  /// in any case, are used to this moment.
  void keep(int64_t start, llvm::ArrayRef<mlir::Value> others);

  /// Gives each buffer of an arena, or of that of a GPU's host, its offset; the
  /// arena's size and its lower bound.
  std::pair<int64_t, int64_t> assignOffsets(bool host);

private:
  /// Places stand before all tasks, so that they dominate nested ones.
  template <typename Op, typename... Args>
  Op make(mlir::Location loc, Args &&...args);

  plan::ProgramOp program;
  Weights &weights;
  mlir::Operation *last = nullptr;
  llvm::SmallVector<plan::BufferOp> buffers;
  int64_t moment = 0;
};

} // namespace weir

#endif // WEIR_PASSES_PLAN_PLACES_H
