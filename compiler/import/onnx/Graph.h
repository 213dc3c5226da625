// The nodes of a graph, or of a function's body, and who makes each value.

#ifndef WEIR_COMPILER_IMPORT_ONNX_GRAPH_H
#define WEIR_COMPILER_IMPORT_ONNX_GRAPH_H

#include "compiler/import/Report.h"
#include "compiler/import/onnx/proto/onnx.pb.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace weir::onnx {

/// What diagnostics call a node: its name, or what it gives, as names are not
/// required.
std::string labelOf(const ::onnx::NodeProto &node);

/// What identifies an op: `Relu`, or `com.example::Relu` outside of ONNX's own
/// domain.
std::string opKey(llvm::StringRef domain, llvm::StringRef op);
std::string opKey(const ::onnx::NodeProto &node);

/// Which tensors and nodes some results need.
struct Plan {
  /// Operands come first.
  std::vector<int> nodes;
  std::vector<llvm::StringRef> initializers;
  /// Those of what is fed that they need.
  llvm::StringSet<> fed;
};

class Graph {
public:
  /// Null after an error: a name that two give, nodes that form a cycle. Values
  /// from nowhere are errors unless `isInner`, where they may come from around
  /// it.
  static std::unique_ptr<Graph> create(Report &report, ::onnx::GraphProto &def,
                                       bool isInner);
  static std::unique_ptr<Graph> create(Report &report,
                                       ::onnx::FunctionProto &def);

  int size() const { return nodes.size(); }
  ::onnx::NodeProto &node(int i) const { return *nodes[i]; }

  /// The values that come in, without those that an initializer gives, and
  /// those that go out.
  llvm::SmallVector<llvm::StringRef> inputs, outputs;

  /// Whether an input, an initializer or a node defines this value.
  bool has(llvm::StringRef value) const { return makers.count(value); }
  /// Every such value.
  llvm::SmallVector<llvm::StringRef> names() const;
  /// The first result of each node of that name.
  llvm::SmallVector<llvm::StringRef> resultsOfNodes(llvm::StringRef name) const;
  /// What the model says that the value is; null where it says nothing.
  const ::onnx::TypeProto *declared(llvm::StringRef value) const {
    return types.lookup(value);
  }
  /// The same, where only the shape is of interest: also what the model says of
  /// another value, which an op that keeps shapes makes of this one.
  const ::onnx::TypeProto *declaredShape(llvm::StringRef value) const {
    auto found = shapes.find(value);
    return found == shapes.end() ? types.lookup(value) : found->second;
  }
  /// What the shapes around a value make likely of its own, where the model
  /// says nothing: of use where the run checks it. Null where they say nothing.
  const ::onnx::TypeProto *likelyShape(llvm::StringRef value) const {
    return likely.lookup(value);
  }
  /// The shape that a Slice cuts out of the value, which is no larger.
  const ::onnx::TypeProto *cutShape(llvm::StringRef value) const {
    return cuts.lookup(value);
  }
  ::onnx::TensorProto *initializer(llvm::StringRef value) const {
    return tensors.lookup(value);
  }
  ::onnx::SparseTensorProto *sparseInitializer(llvm::StringRef value) const {
    return sparseTensors.lookup(value);
  }

  /// What `wanted` needs, with the values of `fed` given.
  Plan plan(llvm::ArrayRef<llvm::StringRef> wanted,
            const llvm::StringSet<> &fed) const;
  /// The values that nothing in the graph uses.
  llvm::StringSet<> used() const;

private:
  /// Of `makers`.
  static constexpr int input = -1, stored = -2;

  bool add(Report &report, llvm::StringRef value, int maker,
           llvm::StringRef what);
  bool addNodes(Report &report,
                google::protobuf::RepeatedPtrField<::onnx::NodeProto> &defs);
  /// In Shapes.cpp.
  void inferShapes();
  llvm::StringSet<> scalars() const;
  bool checkUses(Report &report, bool isInner) const;
  /// Puts nodes behind those that they need; an error where they form a cycle.
  bool sort(Report &report);
  void addTypes(
      const google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto> &infos);

  std::vector<::onnx::NodeProto *> nodes;
  /// By value, the node that gives it.
  llvm::StringMap<int> makers;
  llvm::StringMap<const ::onnx::TypeProto *> types, shapes, likely, cuts;
  llvm::StringMap<::onnx::TensorProto *> tensors;
  llvm::StringMap<::onnx::SparseTensorProto *> sparseTensors;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_GRAPH_H
