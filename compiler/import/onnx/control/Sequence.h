// Sequences of tensors while a graph is traced.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_SEQUENCE_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_SEQUENCE_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// Tensors one after the other, of any shapes.
struct Sequence : Object {
  llvm::SmallVector<Traced> elements;
  /// How many of the elements there are, a scalar i64, where only the run
  /// knows: the first ones. Null where all are.
  mlir::Value count;

  bool flatten(llvm::SmallVectorImpl<mlir::Value> &values) const override {
    if (count)
      values.push_back(count);
    return llvm::all_of(elements, [&](const Traced &element) {
      return weir::flatten(element, values);
    });
  }
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &values) const override {
    auto result = std::make_shared<Sequence>();
    if (count) {
      result->count = values.front();
      values = values.drop_front();
    }
    for (const Traced &element : elements)
      result->elements.push_back(weir::rebuild(element, values));
    return result;
  }
};

/// A sequence of these, which are tensors, as a node's result.
mlir::FailureOr<Traced> sequenceOf(Node &node,
                                   llvm::SmallVector<Traced> elements,
                                   mlir::Value count = {});
mlir::LogicalResult giveSequence(Node &node, llvm::SmallVector<Traced> elements,
                                 mlir::Value count = {});

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_SEQUENCE_H
