// Random ops that are given the generator's state: by seeds, from which it is
// made, or in their second version as key and counter.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_STATELESS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_STATELESS_H

#include "compiler/import/tensorflow/random/Random.h"

namespace weir::tensorflow {

/// A generator from the two seeds in operand `i`.
mlir::FailureOr<Generator> generatorFromSeeds(Node &node, unsigned i);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_RANDOM_STATELESS_H
