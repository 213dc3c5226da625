// How rows are combined into segments.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SEGMENTS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SEGMENTS_H

#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

/// `data` combined into `count` segments as the op's name says; `ids` has its
/// leading dimensions. Rows of segments that are none of these are left out.
mlir::FailureOr<Expr> combineSegments(Node &node, Expr data, Expr ids,
                                      int64_t count);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SEGMENTS_H
