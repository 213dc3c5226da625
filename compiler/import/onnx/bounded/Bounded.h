// Nodes of ONNX with sizes that are known only at run time.
//
// Most handlers know nothing of them, and run on places: their results' sizes
// are inferred from the ops that they build. Those that take numbers from a
// shape, or move elements along a dimension, have a handler here.

#ifndef WEIR_COMPILER_IMPORT_ONNX_BOUNDED_BOUNDED_H
#define WEIR_COMPILER_IMPORT_ONNX_BOUNDED_BOUNDED_H

#include "compiler/import/bounded/Inference.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

using weir::iota;
using weir::number;

/// Asked instead of an op's own handler where an operand has sizes known only
/// at run time; or where, in a model with such inputs, one of those that decide
/// the result's sizes is not known at compile time. In other models it is only
/// where `bySizes`, and where the model does not say the result's shape.
struct BoundedEntry {
  BoundedEntry(Handler run = nullptr, llvm::ArrayRef<unsigned> deciding = {},
               bool bySizes = false)
      : run(run), deciding(deciding.begin(), deciding.end()), bySizes(bySizes) {
  }
  Handler run;
  llvm::SmallVector<unsigned, 2> deciding;
  /// These operands list sizes, or count elements.
  bool bySizes;
};
using BoundedHandlers = llvm::StringMap<BoundedEntry>;

const BoundedHandlers &boundedHandlers();

/// Whether the node's sizes are known only at run time.
bool wantsBounded(Node &node);
mlir::LogicalResult importBounded(Node &node);

void addBoundedChoiceHandlers(BoundedHandlers &);
void addBoundedGatherHandlers(BoundedHandlers &);
void addBoundedNeuralHandlers(BoundedHandlers &);
void addBoundedShapeHandlers(BoundedHandlers &);
void addBoundedPositionHandlers(BoundedHandlers &);
void addBoundedResizeHandlers(BoundedHandlers &);
void addBoundedUniqueHandlers(BoundedHandlers &);
void addBoundedWindowHandlers(BoundedHandlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_BOUNDED_BOUNDED_H
