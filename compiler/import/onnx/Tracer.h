// Walks graphs, operands first, and hands each node to its handler.

#ifndef WEIR_COMPILER_IMPORT_ONNX_TRACER_H
#define WEIR_COMPILER_IMPORT_ONNX_TRACER_H

#include "compiler/import/Tracing.h"
#include "compiler/import/onnx/Model.h"
#include "compiler/import/onnx/Node.h"

namespace weir::onnx {

/// Calls in graphs in calls, so deep that the stack would not bear it.
constexpr unsigned nestingLimit = 64;

/// Where nodes stand: in the model, or in a function that some node calls.
struct Context {
  const Opsets *opsets;
  /// Null outside of functions.
  const ::onnx::FunctionProto *function = nullptr;
  const Context *caller = nullptr;
  mlir::LocationAttr callee = nullptr;
  /// The attributes of the call, by the function's names; null where it gives
  /// none and there is no default.
  llvm::StringMap<::onnx::AttributeProto *> attributes = {};
};

/// A graph that is being traced.
struct Scope {
  const Graph &graph;
  const Context &context;
  /// The graph around it, whose values it can use; null for the outermost and
  /// for functions.
  const Scope *outer = nullptr;

  struct Value {
    Traced traced;
    /// The node, or one before it, is not supported: nothing can be said of it.
    bool isUnsupported = false;
  };
  llvm::StringMap<Value> values = {};
  /// Whether the tracer's watched values are among these.
  bool isWatched = false;
};

class Tracer : public Tracing {
public:
  Tracer(Report &report, Model &model, mlir::OpBuilder &builder)
      : Tracing(report, builder), model(model) {}

  /// The values of the model's graph that are `wanted`, with `fed` given.
  mlir::FailureOr<llvm::SmallVector<Traced>>
  trace(llvm::ArrayRef<llvm::StringRef> wanted,
        llvm::ArrayRef<std::pair<llvm::StringRef, Traced>> fed);

  /// Traces the function in place of the node and gives its results.
  mlir::LogicalResult call(Node &node, ::onnx::FunctionProto &function);
  /// Traces a graph that an attribute of the node holds, at the builder's
  /// place, and gives its outputs. For handlers of control flow. Failure
  /// without an error where nodes in it are not supported, which is remembered,
  /// and where outputs have sizes that only the run knows, unless they
  /// `mayBeDynamic`.
  mlir::FailureOr<llvm::SmallVector<Traced>>
  traceInner(Node &node, ::onnx::GraphProto &graph,
             llvm::ArrayRef<Traced> arguments, bool mayBeDynamic = false);

  /// Traces what leads to a value of the graph around the node once more, with
  /// other values given.
  mlir::FailureOr<Traced>
  retrace(Node &node, llvm::ArrayRef<std::pair<llvm::StringRef, Traced>> fed,
          llvm::StringRef wanted);

  /// The constant of a node or of an initializer, read at its first use.
  mlir::FailureOr<Constant>
  constant(mlir::Location at, ::onnx::TensorProto &proto, llvm::StringRef name);
  mlir::FailureOr<Constant> constant(mlir::Location at,
                                     ::onnx::SparseTensorProto &proto,
                                     llvm::StringRef name);
  /// The constant as an edge carries it.
  static Traced edge(mlir::OpBuilder &builder, mlir::Location at,
                     const Constant &constant);

  Model &model;
  /// The floats of the model's graph that nothing folds past: those that there
  /// are to be derivatives by, each with a number of its own.
  llvm::StringMap<int64_t> watched;
  /// Whether some input has sizes that only the run knows: others that only the
  /// run knows are then taken for those of a tensor too.
  bool hasDynamicInputs = false;

private:
  /// Makes a value known under its name.
  void define(Scope &scope, mlir::Location at, llvm::StringRef name,
              Traced traced);
  mlir::LogicalResult traceScope(Scope &scope,
                                 llvm::ArrayRef<llvm::StringRef> wanted);
  mlir::LogicalResult traceNode(Scope &scope, const ::onnx::NodeProto &def);
  mlir::LogicalResult runNode(Scope &scope, const ::onnx::NodeProto &def,
                              llvm::ArrayRef<Traced> operands,
                              mlir::Location at);
  /// Adds what a debugging library has besides the node.
  void observe(Node &node);
  mlir::LogicalResult addInitializer(Scope &scope, llvm::StringRef name);
  /// The wanted values of a scope that has been traced; failure without an
  /// error where some are behind nodes that are not supported.
  mlir::FailureOr<llvm::SmallVector<Traced>>
  collect(Scope &scope, llvm::ArrayRef<llvm::StringRef> wanted,
          mlir::Location at);
  mlir::Location locationOf(const Scope &scope,
                            const ::onnx::NodeProto &def) const;

  llvm::DenseMap<const void *, Constant> constants;
  /// Regions around the place of work, and calls.
  unsigned regions = 0, nesting = 0;

public:
  /// As ImportOptions has it.
  std::function<void(llvm::StringRef tensor, mlir::Type type)> onTensor = {};
};

/// Whether weir can import nodes of this op at all.
bool isKnownOp(llvm::StringRef op);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_TRACER_H
