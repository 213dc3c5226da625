// Builds graph ops, for frontends and derivatives. Constant operands fold at
// once, within the folders' limit.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_BUILD_H
#define WEIR_DIALECTS_GRAPH_BUILD_BUILD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::graph::build {

/// Creates the op with one result that the state describes, infers a missing
/// type, and returns its fold. Null if an operand is null. Null too if the op
/// is invalid, with an error at its location.
mlir::Value makeChecked(mlir::ImplicitLocOpBuilder &b,
                        mlir::OperationState &state);

/// Whether the op can be built from a result type and these arguments.
template <typename Op, typename Void, typename... Args>
struct IsBuiltOfType : std::false_type {};
template <typename Op, typename... Args>
struct IsBuiltOfType<Op,
                     std::void_t<decltype(Op::build(
                         std::declval<mlir::OpBuilder &>(),
                         std::declval<mlir::OperationState &>(),
                         std::declval<mlir::Type>(), std::declval<Args>()...))>,
                     Args...> : std::true_type {};

/// Creates the op, or returns its fold, as makeChecked does.
template <typename Op, typename... Args>
mlir::Value make(mlir::ImplicitLocOpBuilder &b, Args &&...args) {
  mlir::OperationState state(b.getLoc(), Op::getOperationName());
  // A builder that infers the type would abort on failure, so the type is left
  // to makeChecked.
  if constexpr (IsBuiltOfType<Op, void, Args...>::value)
    Op::build(b, state, mlir::Type(), std::forward<Args>(args)...);
  else
    Op::build(b, state, std::forward<Args>(args)...);
  return makeChecked(b, state);
}

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// A splat constant of any element type.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                  double value);
/// A constant of i64 or i32 numbers, of rank 1.
mlir::Value numbers(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
                    llvm::ArrayRef<int64_t> values);
/// A splat attribute, for ops that need one.
mlir::DenseElementsAttr splatAttr(mlir::RankedTensorType type, double value);

/// The shape to which NumPy's rules broadcast both; failure if they do not
/// match.
mlir::FailureOr<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// `value` broadcast by NumPy's rules, or `value` if it has that shape.
mlir::Value broadcastTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);
/// Converts `value` to an element type, as graph.cast does. `rounds`: the model
/// itself contains the conversion.
mlir::Value castTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                   mlir::Type elementType, bool rounds = false);
mlir::Value reshapeTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);
mlir::Value transposeBy(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        llvm::ArrayRef<int64_t> permutation);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_BUILD_H
