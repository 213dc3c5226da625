// One node of a TensorFlow graph while it becomes graph ops.
//
// The importer walks the graph from the fetches back and then, operands first,
// hands each node to the handler of its op. Shapes are static and small values
// are folded as they are built, so that a handler sees the shape operand of a
// Reshape as the constant that it is.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_NODE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_NODE_H

#include "compiler/import/TracedNode.h"

#include "llvm/ADT/StringMap.h"

namespace google::protobuf {
template <typename Key, typename Value>
class Map;
} // namespace google::protobuf

namespace tensorflow {
class NodeDef;
class AttrValue;
class AttrValue_ListValue;
} // namespace tensorflow

namespace weir::tensorflow {

class Tracer;

class Node final : public TracedNode {
public:
  Node(Tracer &tracer, const ::tensorflow::NodeDef &def,
       llvm::ArrayRef<Traced> operands, mlir::ImplicitLocOpBuilder &b);

  /// An axis that is a constant operand, in [-rank, rank), made positive.
  mlir::FailureOr<int64_t> axisAt(unsigned i, int64_t rank);

  /// Attributes of the node; the default of the op if one is absent. An
  /// attribute of another type is an error, which the importer reports after
  /// the handler has returned.
  int64_t intAttr(llvm::StringRef name, int64_t otherwise = 0) const;
  double floatAttr(llvm::StringRef name, double otherwise = 0) const;
  bool boolAttr(llvm::StringRef name, bool otherwise = false) const;
  llvm::StringRef stringAttr(llvm::StringRef name,
                             llvm::StringRef otherwise = "") const;
  llvm::SmallVector<int64_t> intsAttr(llvm::StringRef name) const;
  llvm::SmallVector<float> floatsAttr(llvm::StringRef name) const;
  /// Null where absent or not a type of the graph dialect.
  mlir::Type typeAttr(llvm::StringRef name) const;
  bool hasAttr(llvm::StringRef name) const;
  /// Null where absent.
  const ::tensorflow::AttrValue *attr(llvm::StringRef name) const;
  /// The same, of a kind such as "a shape" or "a list".
  const ::tensorflow::AttrValue *attr(llvm::StringRef name,
                                      llvm::StringRef kind) const;
  /// Null where absent; of "types", "functions" and the like.
  const ::tensorflow::AttrValue_ListValue *listAttr(llvm::StringRef name,
                                                    llvm::StringRef kind) const;

  /// An operand of strings that is known at compile time.
  mlir::FailureOr<std::string> string(unsigned i);

  mlir::LogicalResult runOn(llvm::ArrayRef<Traced> others) override;

  Tracer &tracer;
  const ::tensorflow::NodeDef &def;

private:
  friend class Tracer;

  mlir::LogicalResult handle() override;
  mlir::LogicalResult checkGiven() override;

  const google::protobuf::Map<std::string, ::tensorflow::AttrValue> *bindings =
      nullptr;
};

/// Turns one node into graph ops; gives its results or says why not.
using Handler = mlir::LogicalResult (*)(Node &);

/// What operands a handler takes; the importer refuses others for it. Tensors
/// of sizes known only at run time are for `open`, which else takes what
/// `tensors` does, and for `whole`, which hands on what it gets without a look
/// inside.
enum class Takes { tensors, dynamic, complex, anything, whole };

struct HandlerEntry {
  HandlerEntry(Handler run = nullptr, Takes takes = Takes::tensors)
      : run(run), takes(takes) {}
  Handler run;
  Takes takes;
};

/// Asked instead of an op's own handler where an operand has sizes known only
/// at run time, or where one of those that decide the result's sizes is not
/// known at compile time.
struct BoundedEntry {
  BoundedEntry(Handler run = nullptr, llvm::ArrayRef<unsigned> deciding = {})
      : run(run), deciding(deciding.begin(), deciding.end()) {}
  Handler run;
  llvm::SmallVector<unsigned, 2> deciding;
};
using BoundedHandlers = llvm::StringMap<BoundedEntry>;

/// By op: `handlers["Relu6"] = importRelu6;`, and for ops that take more than
/// plain tensors `handlers["IFFT"] = {importIfft, Takes::complex};`.
using Handlers = llvm::StringMap<HandlerEntry>;

/// The ops that are not one to one with an op of the dialect, by family.
void addCoreHandlers(Handlers &);
void addElementwiseHandlers(Handlers &);
void addReduceHandlers(Handlers &);
void addShapeHandlers(Handlers &);
void addIndexHandlers(Handlers &);
void addNeuralHandlers(Handlers &);
void addImageHandlers(Handlers &);
void addLinearHandlers(Handlers &);
void addSignalHandlers(Handlers &);
void addControlHandlers(Handlers &);
void addVariableHandlers(Handlers &);
void addListHandlers(Handlers &);
void addArrayHandlers(Handlers &);
/// Asked instead, where an operand is complex: so that `Add` of complex numbers
/// need not share a handler with `Add` of others.
void addComplexHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_NODE_H
