// The handlers of eigenvalues and of tridiagonal systems.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_EIGEN_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_EIGEN_H

#include "compiler/import/tensorflow/Node.h"

namespace weir::tensorflow {

void addEigenHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NEURAL_EIGEN_H
