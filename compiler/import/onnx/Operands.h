// What handlers of ONNX check of their operands, and expressions that they
// share.

#ifndef WEIR_COMPILER_IMPORT_ONNX_OPERANDS_H
#define WEIR_COMPILER_IMPORT_ONNX_OPERANDS_H

#include "compiler/import/Operands.h"
#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

using Integers = llvm::SmallVector<int64_t>;

/// An error where a node has fewer operands than `least`, one of these is left
/// out, or it has more than `most`.
mlir::LogicalResult wantOperands(Node &node, unsigned least, unsigned most);

/// An error where operand `i` is of other elements.
mlir::LogicalResult wantElements(Node &node, unsigned i, Elements elements);

/// All operands of a node, of one element type and broadcast to one shape.
mlir::FailureOr<llvm::SmallVector<Expr>> alike(Node &node, Elements elements);

/// An integer that is an attribute in the first opsets, and an operand in
/// later ones: where neither is given, nothing.
mlir::FailureOr<std::optional<Integers>>
integersAt(Node &node, llvm::StringRef attribute, unsigned i);

/// The same as scalars i64, of which the run may know some alone.
mlir::FailureOr<std::optional<llvm::SmallVector<mlir::Value>>>
scalarsAt(Node &node, llvm::StringRef attribute, unsigned i);

/// The numbers of an operand of rank 0 or 1 as scalar i64 each; constants where
/// they are known.
llvm::SmallVector<Expr> scalarsOf(Node &node, unsigned i);
/// A scalar i64 constant.
Expr number(Node &node, int64_t value);
/// A constant of rank 1 of i64.
Expr list(Node &node, llvm::ArrayRef<int64_t> values);
/// All elements `value`.
Expr filled(Node &node, llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
            double value);
/// Each element its index along `axis`.
Expr iota(Node &node, llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
          int64_t axis);
Expr equal(Expr x, Expr y);
Expr less(Expr x, Expr y);
/// Operations on Booleans. They are not operators, since the value of an Expr
/// in a C++ condition tells whether it is empty.
Expr both(Expr x, Expr y);
Expr either(Expr x, Expr y);
Expr isFalse(Expr x);
/// low <= x < high.
Expr inRange(Expr x, Expr low, Expr high);

/// Whether only the run knows the integers of operand `i`, and the sizes of the
/// result with them: the model does not promise its shape.
bool isForRun(Node &node, unsigned i);

/// The shape of result `i`, which the node's operands would tell only at run
/// time: what the model says of it. `what` names the operand.
mlir::FailureOr<Integers> promisedShape(Node &node, unsigned i,
                                        const llvm::Twine &what);

/// The shape of result 0 where operand `i`, which only the run knows, lists it;
/// the run checks that it does.
mlir::FailureOr<Integers> promisedList(Node &node, unsigned i);

/// f16 and bf16 as f32, in which they are computed with.
Expr widened(Expr x);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_OPERANDS_H
