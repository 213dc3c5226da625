// The regions of a graph.while while a frontend traces them.

#ifndef WEIR_COMPILER_IMPORT_LOOPS_WHILEPARTS_H
#define WEIR_COMPILER_IMPORT_LOOPS_WHILEPARTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir {

/// A graph.while before it exists: both regions, and the tensors that one step
/// hands to the next.
class WhileParts {
public:
  WhileParts(mlir::Location at, mlir::ValueRange inits);

  /// Begins a region, with an argument for each tensor that the loop carries.
  /// `tracer` continues in it.
  mlir::Block *begin(mlir::Region &region, mlir::OpBuilder &tracer);
  /// Carries one more tensor; the body, which has begun, has its argument.
  mlir::Value carry(mlir::Value init);
  /// Ends a region: the condition by a Boolean, the body by the next values.
  void end(mlir::Region &region, mlir::ValueRange values);
  /// Creates the op and returns its results.
  llvm::SmallVector<mlir::Value> create(mlir::OpBuilder &b);

  mlir::TypeRange types() const { return carriedTypes; }
  /// The first value of carried tensor `i`.
  mlir::Value init(size_t i) const { return inits[i]; }

  mlir::Region condition, body;

private:
  mlir::Location at;
  llvm::SmallVector<mlir::Value> inits;
  llvm::SmallVector<mlir::Type> carriedTypes;
};

/// A builder at the end of a block. A region that belongs to no op yet has no
/// context, so that the location gives it.
mlir::ImplicitLocOpBuilder atEnd(mlir::Location at, mlir::Block *block);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_LOOPS_WHILEPARTS_H
