// Results that depend on integers which only the run knows, where few values
// are possible.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CHOICE_H
#define WEIR_COMPILER_IMPORT_ONNX_CHOICE_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// The result for those of the `candidates` that the scalars i64 `given` are in
/// the run; one that are none of them fail it with `message`. All results are
/// of one type. What no candidate fits is not supported.
mlir::FailureOr<Expr> chosen(
    Node &node, llvm::ArrayRef<Expr> given, llvm::ArrayRef<Integers> candidates,
    const llvm::Twine &message,
    llvm::function_ref<mlir::FailureOr<Expr>(llvm::ArrayRef<int64_t>)> build);

/// Every choice of `count` of `rank` dimensions; `rank` is at most
/// `choiceRank`.
llvm::SmallVector<Integers> dimChoices(int64_t rank, int64_t count);

/// The most dimensions of which some are picked when the model runs.
constexpr int64_t choiceRank = 6;

/// Whether the scalars i64 `axes`, of `rank` dimensions and maybe negative,
/// name each of `dims` (at least one).
Expr namesAll(Node &node, llvm::ArrayRef<Expr> axes,
              llvm::ArrayRef<int64_t> dims, int64_t rank);

/// The run checks that operand `i` lists axes of dimensions of size 1 of
/// `whole` without which it is `rest`. An error where no axes are that.
mlir::LogicalResult checkAxesOfOnes(Node &node, unsigned i,
                                    llvm::ArrayRef<int64_t> whole,
                                    llvm::ArrayRef<int64_t> rest);

/// An axis of `rank` dimensions that only the run knows, not negative.
Expr axisFromFront(Node &node, Expr axis, int64_t rank);

/// All ways to write `product` as a product of `count` factors, in order; none
/// where it is above 2^24, or where they are far more than `chosen` takes.
llvm::SmallVector<Integers> factorizations(int64_t product, int64_t count);

/// The most values among which a run chooses.
constexpr size_t choiceLimit = 32;

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CHOICE_H
