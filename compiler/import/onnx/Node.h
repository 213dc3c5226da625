// One node of an ONNX graph while it becomes graph ops.
//
// The importer walks the nodes that the results need, in their order, and hands
// each to the handler of its op. Shapes are static and small values are folded
// as they are built, so that a handler sees the shape operand of a Reshape as
// the constant that it mostly is.

#ifndef WEIR_COMPILER_IMPORT_ONNX_NODE_H
#define WEIR_COMPILER_IMPORT_ONNX_NODE_H

#include "compiler/import/TracedNode.h"

#include "llvm/ADT/StringMap.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
} // namespace onnx

namespace weir::onnx {

class Tracer;
struct Scope;

/// Its name is the label, and its op has the domain, where that is not ONNX's
/// own.
class Node final : public TracedNode {
public:
  Node(Tracer &tracer, Scope &scope, const ::onnx::NodeProto &def,
       llvm::ArrayRef<Traced> operands, mlir::ImplicitLocOpBuilder &b);

  /// The version of the ops of the node's domain.
  int64_t opset() const;

  /// As of every node; ONNX's lists of integers have one dimension at most.
  mlir::FailureOr<llvm::SmallVector<int64_t>> integers(unsigned i);

  /// Attributes of the node; the default of the op if one is absent. An
  /// attribute of another type is an error, which the importer reports after
  /// the handler has returned.
  bool hasAttr(llvm::StringRef name) const;
  int64_t intAttr(llvm::StringRef name, int64_t otherwise = 0) const;
  double floatAttr(llvm::StringRef name, double otherwise = 0) const;
  llvm::StringRef stringAttr(llvm::StringRef name,
                             llvm::StringRef otherwise = "") const;
  llvm::SmallVector<int64_t> intsAttr(llvm::StringRef name) const;
  llvm::SmallVector<float> floatsAttr(llvm::StringRef name) const;
  llvm::SmallVector<llvm::StringRef> stringsAttr(llvm::StringRef name) const;
  /// Null where absent, and where it is no graph.
  ::onnx::GraphProto *graphAttr(llvm::StringRef name) const;
  /// An element type by its number, which is `otherwise` where it is absent;
  /// null after an error, where weir has no such element.
  mlir::Type typeAttr(llvm::StringRef name, int otherwise = 0);
  /// The value of an attribute of the function's call where it names one; null
  /// where absent.
  ::onnx::AttributeProto *attr(llvm::StringRef name) const;

  /// How many results the node has, those that are left out among them.
  unsigned outputs() const;
  /// Whether anyone can ask for result `i`.
  bool wants(unsigned i) const;
  /// The declared type of result `i`, with unknown sizes dynamic. Null if the
  /// rank is not declared.
  mlir::RankedTensorType declared(unsigned i) const;
  /// The same, where all sizes are said.
  std::optional<llvm::SmallVector<int64_t>> declaredShape(unsigned i) const;
  /// What is likely where the model says nothing, for the run to check; and the
  /// shape that a later node cuts out of result `i`.
  std::optional<llvm::SmallVector<int64_t>> likelyShape(unsigned i) const;
  std::optional<llvm::SmallVector<int64_t>> cutShape(unsigned i) const;

  mlir::LogicalResult runOn(llvm::ArrayRef<Traced> others) override;

  Tracer &tracer;
  Scope &scope;
  const ::onnx::NodeProto &def;

private:
  mlir::LogicalResult handle() override;
  mlir::LogicalResult checkGiven() override;
  /// Runs the handler of an op, which is no call of a function.
  mlir::LogicalResult handleOp();

  /// The attribute, if it is of a kind; an error where it is of another.
  ::onnx::AttributeProto *
  attr(llvm::StringRef name, int kind,
       bool isSet(const ::onnx::AttributeProto &)) const;
};

/// Turns one node into graph ops; gives its results or says why not.
using Handler = mlir::LogicalResult (*)(Node &);

/// What operands a handler takes; the importer refuses others for it. `open`
/// is tensors with sizes known only at run time too, and `bounded` is anything
/// with such sizes.
enum class Takes { tensors, dynamic, narrow, anything, bounded };

struct HandlerEntry {
  HandlerEntry(Handler run = nullptr, Takes takes = Takes::tensors)
      : run(run), takes(takes) {}
  Handler run;
  Takes takes;
};

/// By op, with its domain where that is not ONNX's own: `handlers["Relu"]`,
/// `handlers["com.microsoft::Gelu"]`; for ops that take more than tensors
/// `handlers["If"] = {importIf, Takes::anything};`.
using Handlers = llvm::StringMap<HandlerEntry>;

/// The ops that are not one to one with an op of the dialect, by family.
void addActivationHandlers(Handlers &);
void addArithmeticHandlers(Handlers &);
void addControlHandlers(Handlers &);
void addCoreHandlers(Handlers &);
void addFeatureHandlers(Handlers &);
void addGatherHandlers(Handlers &);
void addGradientHandlers(Handlers &);
void addJoinHandlers(Handlers &);
void addOptimizerHandlers(Handlers &);
void addOrderHandlers(Handlers &);
void addPadHandlers(Handlers &);
void addProductHandlers(Handlers &);
void addRandomHandlers(Handlers &);
void addRangeHandlers(Handlers &);
void addReductionHandlers(Handlers &);
void addRemovedHandlers(Handlers &);
void addReshapeHandlers(Handlers &);
void addSequenceHandlers(Handlers &);
void addSliceHandlers(Handlers &);
void addSoftmaxHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_NODE_H
