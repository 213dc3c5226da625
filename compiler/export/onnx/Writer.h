// Writes values and nodes into a graph of ONNX.

#ifndef WEIR_COMPILER_EXPORT_ONNX_WRITER_H
#define WEIR_COMPILER_EXPORT_ONNX_WRITER_H

#include "compiler/export/onnx/Liveness.h"
#include "compiler/export/onnx/Tensor.h"
#include "compiler/import/onnx/proto/onnx.pb.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace weir::to_onnx {

/// A node while it is written. Its name is that of the node of the model whose
/// op is current.
class Node {
public:
  Node(class Writer &writer, ::onnx::NodeProto &proto)
      : writer(writer), proto(proto) {}

  Node &set(llvm::StringRef name, int64_t value);
  Node &set(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  Node &setFloat(llvm::StringRef name, float value);
  Node &setText(llvm::StringRef name, llvm::StringRef value);
  ::onnx::GraphProto &setGraph(llvm::StringRef name);
  /// Adds an output. The elements of the output are f32 if the op of ONNX takes
  /// no bf16, and another node casts them.
  Tensor result(llvm::ArrayRef<int64_t> shape, mlir::Type element);

private:
  ::onnx::AttributeProto &attribute(llvm::StringRef name);
  Tensor addOutput(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  Writer &writer;
  ::onnx::NodeProto &proto;
};

class Writer {
public:
  Writer(::onnx::GraphProto &root, int64_t opset);

  const int64_t opset;
  Liveness liveness;
  /// The op that is being written, whose node names those of the file.
  mlir::Operation *current = nullptr;

  /// A name that no other tensor of the file has.
  std::string nameTensor(llvm::StringRef wanted);
  /// Whether a node computes the tensor.
  bool isComputed(const Tensor &tensor) const {
    return computed.contains(tensor.name);
  }
  /// Adds the type of a tensor to the current graph.
  void describe(const Tensor &tensor);

  /// Values of the program.
  View viewOf(mlir::Value value);
  void hold(mlir::Value value, View view);
  /// The tensor has the value's dimensions in their order, and broadcasts to
  /// its shape.
  void hold(mlir::Value value, Tensor tensor);
  /// The value as it is.
  Tensor whole(mlir::Value value);
  /// Dimension i is dimension order[i] of the value.
  Tensor ordered(mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// The value's dimension i is dimension order[i]; the tensor broadcasts to
  /// this shape.
  Tensor aligned(mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// The view, with a tensor that has its full shape.
  View filled(mlir::Value value);

  /// Nodes. Operands of bf16 become f32 if the op of ONNX takes no bf16.
  Node node(llvm::StringRef op, llvm::ArrayRef<Tensor> operands);
  /// An elementwise node, whose operands broadcast. Without `element` the
  /// result has the elements of the last operand.
  Tensor map(llvm::StringRef op, llvm::ArrayRef<Tensor> operands,
             mlir::Type element = {});
  /// If `isOwn` the node has the name of the current op's.
  Tensor cast(Tensor tensor, mlir::Type element, bool isOwn = false);
  Tensor reshaped(Tensor tensor, llvm::ArrayRef<int64_t> shape,
                  bool isOwn = false);
  Tensor expanded(Tensor tensor, llvm::ArrayRef<int64_t> shape);
  Tensor transposed(Tensor tensor, llvm::ArrayRef<int64_t> order);
  Tensor sliced(Tensor tensor, llvm::ArrayRef<int64_t> starts,
                llvm::ArrayRef<int64_t> ends, llvm::ArrayRef<int64_t> steps,
                llvm::ArrayRef<int64_t> result);
  /// With `value` before and after each dimension.
  Tensor padded(Tensor tensor, Tensor value, llvm::ArrayRef<int64_t> low,
                llvm::ArrayRef<int64_t> high);
  /// Combines elements along the axes, which have the size 1 then, or
  /// disappear.
  Tensor reduced(llvm::StringRef op, Tensor tensor,
                 llvm::ArrayRef<int64_t> axes, bool keepsDims);

  /// Constants.
  Tensor numbers(llvm::ArrayRef<int64_t> values);
  /// A scalar.
  Tensor number(double value, mlir::Type element);
  /// The elements with dimension i being dimension order[i] of the attribute. A
  /// splat is a scalar, or if `isWhole` only a large one is.
  Tensor constant(mlir::ElementsAttr value, llvm::ArrayRef<int64_t> order,
                  llvm::StringRef name, bool isWhole);

  /// Graphs in nodes. A scope ends with `leave`; values of outer ones remain
  /// visible. With `graph` null nodes go to the graph that is current.
  void enter(::onnx::GraphProto *graph);
  void leave();
  ::onnx::GraphProto &graph() { return *scopes.back().graph; }

  /// Reports that ONNX has no form for the current op.
  llvm::LogicalResult refuse(const llvm::Twine &why = "");
  bool hasFailed() const { return failed; }
  mlir::Builder builder() const;

private:
  friend class Node;

  struct Scope {
    ::onnx::GraphProto *graph;
    llvm::DenseMap<mlir::Value, View> values;
    /// Transposed, reshaped and expanded tensors, by what they are made of.
    llvm::StringMap<Tensor> made;
  };

  const Tensor *findMade(llvm::StringRef key) const;
  Tensor addInitializer(Tensor tensor, std::string bytes, llvm::StringRef name);
  Tensor initializer(llvm::StringRef key, Tensor tensor, std::string bytes,
                     llvm::StringRef name);
  std::string nameNode(llvm::StringRef wanted);
  /// A node that only changes the form of a tensor.
  Node step(llvm::StringRef op, llvm::ArrayRef<Tensor> operands);
  Node addNode(llvm::StringRef op, llvm::ArrayRef<Tensor> operands,
               llvm::StringRef name);

  std::vector<Scope> scopes;
  llvm::StringMap<unsigned> nodeCounts, tensorCounts;
  /// Positions in the outer graph, by name.
  llvm::StringMap<int> initializers;
  llvm::StringSet<> nodeNames, tensorNames, computed;
  bool failed = false;
};

/// The attribute of a constant; null for other values.
mlir::ElementsAttr constantOf(mlir::Value value);
mlir::RankedTensorType typeOf(mlir::Value value);

} // namespace weir::to_onnx

#endif // WEIR_COMPILER_EXPORT_ONNX_WRITER_H
