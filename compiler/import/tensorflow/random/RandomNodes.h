// Random numbers of one distribution, and random orders.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOMNODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOMNODES_H

#include "compiler/import/tensorflow/random/Random.h"

namespace weir::tensorflow {

/// The result of a node whose operand `shapeAt` is a shape, which may be known
/// only at run time: `make` gives as many rows as there are places.
mlir::LogicalResult giveShaped(Node &node, MakeNumbers make,
                               unsigned shapeAt = 0);
/// Uses the node's seeds: in each run a library returns the numbers of
/// TensorFlow's first run. Without seeds, it uses seeds of 0.
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
/// Whether `low` and `high` are scalars of one type of integers.
mlir::LogicalResult checkRange(Node &node, Expr low, Expr high);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_RANDOMNODES_H
