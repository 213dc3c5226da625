// Arrays of scalars, and the ops of a scalar function on them.
//
// A lane is a double for a float of any width, rounded to that width after each
// op: sums, products, quotients and roots of f16, bf16 and f32 are then the
// same as if computed in their own width. For an integer a lane holds its bits,
// zero extended.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_LANES_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_LANES_H

#include "mlir/IR/Operation.h"
#include <array>

namespace weir {

union Lane {
  double number;
  uint64_t bits;
};

constexpr int64_t blockLanes = 1024;
using Lanes = std::array<Lane, blockLanes>;

/// `count` elements of a type, `stride` bytes apart.
void loadLanes(Lanes &lanes, int64_t count, mlir::Type type, const char *from,
               int64_t stride);
/// The same, next to each other.
void storeLanes(const Lanes &lanes, int64_t count, mlir::Type type, char *to);

/// The format of a float type; null of another type.
const llvm::fltSemantics *semanticsOf(mlir::Type type);
/// `value` rounded to a float type.
double rounded(double value, const llvm::fltSemantics &semantics);
/// The float whose bits in its own type these are.
double decoded(uint64_t bits, const llvm::fltSemantics &semantics);
uint64_t encoded(double value, const llvm::fltSemantics &semantics);

/// A function of f64 of one operand or of two.
struct LibmFunction {
  double (*one)(double) = nullptr;
  double (*two)(double, double) = nullptr;
};

/// What libm computes where the op is such a function.
LibmFunction libmFunction(mlir::Operation &op);

/// Whether an op of the math dialect is right to the last bit wherever it is
/// computed.
bool isExact(mlir::Operation *op);

/// Whether an op is a constant vector, of which lanes take elements.
bool isTable(mlir::Operation &op);

/// Applies one op of a scalar function to the first `count` lanes. Fails where
/// the op is not known here or would be undefined.
mlir::LogicalResult stepLanes(mlir::Operation &op,
                              llvm::ArrayRef<const Lanes *> in, Lanes &out,
                              int64_t count);

} // namespace weir

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_LANES_H
