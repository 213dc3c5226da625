// Arrays of scalars, and the ops of scalar functions on them.
//
// A lane is a double for a float of any width, rounded to that width after each
// op. So sums, products, quotients and roots of f16, bf16 and f32 are equal to
// those computed in their own width. The lane of an integer has its bits,
// zero-extended.

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

/// Loads `count` elements of a type, `stride` bytes apart.
void loadLanes(Lanes &lanes, int64_t count, mlir::Type type, const char *from,
               int64_t stride);
/// Stores `count` contiguous elements.
void storeLanes(const Lanes &lanes, int64_t count, mlir::Type type, char *to);

/// The format of a float type, or null.
const llvm::fltSemantics *semanticsOf(mlir::Type type);
/// Rounds to a float type.
double rounded(double value, const llvm::fltSemantics &semantics);
/// The float with these bits.
double decoded(uint64_t bits, const llvm::fltSemantics &semantics);
uint64_t encoded(double value, const llvm::fltSemantics &semantics);

/// A function of f64 with one or two operands.
struct LibmFunction {
  double (*one)(double) = nullptr;
  double (*two)(double, double) = nullptr;
};

/// The libm function of an op, if it has one.
LibmFunction libmFunction(mlir::Operation &op);

/// Whether a math op is correctly rounded on all targets.
bool isExact(mlir::Operation *op);

/// Whether an op is a constant vector, whose elements are indexed by lanes.
bool isTable(mlir::Operation &op);

/// Applies one op of a scalar function to the first `count` lanes. Fails at an
/// op that is unknown, or undefined for these values.
mlir::LogicalResult stepLanes(mlir::Operation &op,
                              llvm::ArrayRef<const Lanes *> in, Lanes &out,
                              int64_t count);

} // namespace weir

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_LANES_H
