// The handlers of random ops.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H

#include "compiler/import/Operands.h"
#include "compiler/import/build/Philox.h"
#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

/// Makes numbers of a distribution: those of one of the first `count` places,
/// or, of an op with parameters, of one for each parameter. `exact` says how
/// many places are wanted in this run, as a scalar i64.
using MakeNumbers = llvm::function_ref<Expr(int64_t count, Expr exact)>;
/// The result of a node whose operand `shapeAt` is a shape, which may be known
/// only at run time: `make` gives as many rows as there are places.
mlir::LogicalResult giveShaped(Node &node, MakeNumbers make,
                               unsigned shapeAt = 0);

/// Of the node's seeds: a library gives in each run the numbers of TensorFlow's
/// first; without seeds, those of seeds 0.
Generator generatorOf(Node &node);
/// Normal numbers within two standard deviations; integers in [low, high); all
/// as TensorFlow makes them.
Expr truncatedNumbers(const Generator &generator, int64_t count,
                      mlir::FloatType type);
Expr integerNumbers(const Generator &generator, int64_t count, Expr low,
                    Expr high);

/// Integers of 32 or 64 bits, all of them random.
Expr fullIntegers(const Generator &generator, int64_t count, mlir::Type type);
bool isFullInteger(mlir::Type type);

/// A generator from the two seeds in operand `i`.
mlir::FailureOr<Generator> generatorFromSeeds(Node &node, unsigned i);

/// Whether `low` and `high` are scalars of one type of integers.
mlir::LogicalResult checkRange(Node &node, Expr low, Expr high);

void addRandomHandlers(Handlers &);
/// Those that draw until a number is accepted.
void addSampleHandlers(Handlers &);
void addStatelessHandlers(Handlers &);
void addBoundedRandomHandlers(BoundedHandlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOM_H
