// Nodes of TensorFlow with sizes that are known only at run time.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_BOUNDS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_BOUNDS_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

void addBoundedBlockHandlers(BoundedHandlers &);
void addBoundedDetectionHandlers(BoundedHandlers &);
void addBoundedDiagonalHandlers(BoundedHandlers &);
void addBoundedEinsumHandlers(BoundedHandlers &);
void addBoundedElementwiseHandlers(BoundedHandlers &);
void addBoundedImageHandlers(BoundedHandlers &);
void addBoundedMoveHandlers(BoundedHandlers &);
void addBoundedNeuralHandlers(BoundedHandlers &);
void addBoundedOrderHandlers(BoundedHandlers &);
void addBoundedReduceHandlers(BoundedHandlers &);
void addBoundedResizeHandlers(BoundedHandlers &);
void addBoundedScatterHandlers(BoundedHandlers &);
void addBoundedSegmentHandlers(BoundedHandlers &);
void addBoundedSetHandlers(BoundedHandlers &);
void addBoundedShapeHandlers(BoundedHandlers &);
void addBoundedSliceHandlers(BoundedHandlers &);
void addBoundedWhereHandlers(BoundedHandlers &);
void addBoundedWindowHandlers(BoundedHandlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_BOUNDS_H
