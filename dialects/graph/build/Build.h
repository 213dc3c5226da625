// Short ways to build graph ops, for frontends and derivatives. Constant
// operands fold at once, within the folders' limit.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_BUILD_H
#define WEIR_DIALECTS_GRAPH_BUILD_BUILD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::graph::build {

/// Creates the op of one result that the state describes, infers its type where
/// that is missing, and gives what it folds to. Null where an operand is; and
/// where the op cannot be, which is then an error at its location.
mlir::Value makeChecked(mlir::ImplicitLocOpBuilder &b,
                        mlir::OperationState &state);

/// Whether the op can be built from a type before these.
template <typename Op, typename Void, typename... Args>
struct IsBuiltOfType : std::false_type {};
template <typename Op, typename... Args>
struct IsBuiltOfType<Op,
                     std::void_t<decltype(Op::build(
                         std::declval<mlir::OpBuilder &>(),
                         std::declval<mlir::OperationState &>(),
                         std::declval<mlir::Type>(), std::declval<Args>()...))>,
                     Args...> : std::true_type {};

/// Creates the op, or gives what it folds to, as makeChecked does.
template <typename Op, typename... Args>
mlir::Value make(mlir::ImplicitLocOpBuilder &b, Args &&...args) {
  mlir::OperationState state(b.getLoc(), Op::getOperationName());
  // Builders that infer the type end the process where they cannot: it is left
  // open instead.
  if constexpr (IsBuiltOfType<Op, void, Args...>::value)
    Op::build(b, state, mlir::Type(), std::forward<Args>(args)...);
  else
    Op::build(b, state, std::forward<Args>(args)...);
  return makeChecked(b, state);
}

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// A constant whose elements are all `value`, of any element type.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                  double value);
/// A constant of i64 or i32 numbers, of rank 1.
mlir::Value numbers(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
                    llvm::ArrayRef<int64_t> values);
/// The attribute of a splat, for ops that take one.
mlir::DenseElementsAttr splatAttr(mlir::RankedTensorType type, double value);

/// The shape that NumPy's rules broadcast both to; failure where they do not.
mlir::FailureOr<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// `value` broadcast by NumPy's rules; itself where it has that shape.
mlir::Value broadcastTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);
/// `value` converted to an element type, as graph.cast does; with `rounds`
/// because the graph says so.
mlir::Value castTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                   mlir::Type elementType, bool rounds = false);
mlir::Value reshapeTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);
mlir::Value transposeBy(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        llvm::ArrayRef<int64_t> permutation);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_BUILD_H
