// Ops that move elements of complex tensors: both parts move alike.

#include "compiler/import/tensorflow/shape/Moves.h"

#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/Tracer.h"

using namespace mlir;

namespace weir::tensorflow {

/// Runs the handler of plain tensors on the real and then the imaginary parts;
/// operands that are not complex are those of both.
static LogicalResult importByParts(Node &node) {
  auto found = handlers().find(node.op());
  if (found == handlers().end())
    return node.unsupported("no such op");
  SmallVector<Traced> given[2];
  for (bool imaginary : {false, true}) {
    SmallVector<Traced> operands;
    for (unsigned i = 0; i < node.size(); ++i) {
      Traced part;
      const Traced &whole = node.traced(i);
      part.value = imaginary && whole.imaginary ? whole.imaginary : whole.value;
      operands.push_back(part);
    }
    Node alone(node.tracer, node.def, operands, node.b);
    if (failed(found->second.run(alone)))
      return failure();
    given[imaginary] = alone.given;
  }
  for (auto [whole, part] : llvm::zip_equal(given[0], given[1]))
    whole.imaginary = part.value;
  return node.tracedResults(given[0]);
}

static LogicalResult importConjugateTranspose(Node &node) {
  if (failed(importByParts(node)))
    return failure();
  Traced result = node.given[0];
  result.imaginary = (-Expr(node.b, result.imaginary)).value;
  return node.tracedResults({result});
}

/// Shapes have no imaginary part.
static LogicalResult importOfRealParts(Node &node) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back({node.operand(i), {}, nullptr});
  Node alone(node.tracer, node.def, operands, node.b);
  auto found = handlers().find(node.op());
  if (found == handlers().end() || failed(found->second.run(alone)))
    return failure();
  return node.tracedResults(alone.given);
}

void addComplexMoveHandlers(Handlers &table) {
  for (const char *name : {"Reshape",
                           "ExpandDims",
                           "Squeeze",
                           "Transpose",
                           "Tile",
                           "BroadcastTo",
                           "Reverse",
                           "ReverseV2",
                           "ReverseSequence",
                           "Roll",
                           "Concat",
                           "ConcatV2",
                           "Split",
                           "SplitV",
                           "Pack",
                           "Unpack",
                           "ParallelConcat",
                           "Slice",
                           "StridedSlice",
                           "StridedSliceGrad",
                           "Pad",
                           "PadV2",
                           "MirrorPad",
                           "SpaceToBatch",
                           "SpaceToBatchND",
                           "BatchToSpace",
                           "BatchToSpaceND",
                           "MatrixDiag",
                           "MatrixDiagV2",
                           "MatrixDiagV3",
                           "MatrixDiagPart",
                           "MatrixDiagPartV2",
                           "MatrixDiagPartV3",
                           "MatrixSetDiag",
                           "MatrixSetDiagV2",
                           "MatrixSetDiagV3",
                           "MatrixBandPart",
                           "Diag",
                           "DiagPart",
                           "Gather",
                           "GatherV2",
                           "GatherNd",
                           "OneHot",
                           "ScatterNd",
                           "TensorScatterUpdate",
                           "TensorScatterAdd",
                           "TensorScatterSub",
                           "ScatterUpdate",
                           "ScatterAdd",
                           "ScatterSub",
                           "UnsortedSegmentSum",
                           "SegmentSum",
                           "DynamicPartition",
                           "DynamicStitch"})
    table[name] = {importByParts, Takes::complex};
  table["ConjugateTranspose"] = {importConjugateTranspose, Takes::complex};
  for (const char *name : {"Shape", "ShapeN", "Size", "Rank"})
    table[name] = {importOfRealParts, Takes::complex};
}

} // namespace weir::tensorflow
