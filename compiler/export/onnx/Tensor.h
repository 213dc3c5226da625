// A tensor of an ONNX file, and how it represents a value of the program.

#ifndef WEIR_COMPILER_EXPORT_ONNX_TENSOR_H
#define WEIR_COMPILER_EXPORT_ONNX_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace weir::to_onnx {

using Sizes = llvm::SmallVector<int64_t>;

/// An initializer, an input or the output of a node.
struct Tensor {
  std::string name;
  Sizes shape;
  mlir::Type element;

  int64_t rank() const { return shape.size(); }
  /// Whether it has one element.
  bool isSingle() const;
};

/// A value as the file has it. `tensor` broadcasts to the shape `full` by
/// NumPy's rules, and dimension i of the value is dimension order[i] of that.
struct View {
  Tensor tensor;
  Sizes full, order;
};

/// 0, 1, ... rank-1.
Sizes countUp(int64_t rank);
bool isCountUp(llvm::ArrayRef<int64_t> order);
Sizes inverseOf(llvm::ArrayRef<int64_t> order);
/// The elements of `list` at these indices.
Sizes pick(llvm::ArrayRef<int64_t> list, llvm::ArrayRef<int64_t> indices);
/// The order of `rank` dimensions that moves the last one to position 1, and
/// the order that moves it back.
Sizes channelsFirst(int64_t rank);
Sizes channelsLast(int64_t rank);
/// The shape that both broadcast to; they do.
Sizes broadcastOf(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

} // namespace weir::to_onnx

#endif // WEIR_COMPILER_EXPORT_ONNX_TENSOR_H
