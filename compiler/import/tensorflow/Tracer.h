// Walks graphs, operands first, and hands each node to its handler.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_TRACER_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_TRACER_H

#include "compiler/import/Tracing.h"
#include "compiler/import/debug/Instruments.h"
#include "compiler/import/tensorflow/Graph.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Node.h"
#include "compiler/import/tensorflow/Tensors.h"

#include <functional>
#include <unordered_map>

namespace weir::tensorflow {

/// Functions in regions in functions, so deep that the stack would not bear it.
constexpr unsigned nestingLimit = 100;

/// Attributes of the call that a polymorphic function's `placeholder`s name.
using Bindings = google::protobuf::Map<std::string, ::tensorflow::AttrValue>;

/// A condition under which a node runs: a Switch's predicate, and the side.
struct Guard {
  mlir::Value predicate;
  bool side = false;
  bool operator==(const Guard &other) const {
    return predicate == other.predicate && side == other.side;
  }
};
using Guards = llvm::SmallVector<Guard, 2>;

/// What a node has given so far.
struct NodeState {
  llvm::SmallVector<Traced, 1> results;
  /// Under which conditions the node runs, where those are not known.
  Guards guards;
  /// Of a Switch: the predicate, where it is not known.
  mlir::Value choice;
  /// The node is known not to run.
  bool dead = false;
  bool traced = false;
  /// The node, or one before it, is not supported: nothing can be said of it.
  bool unsupported = false;
};

/// The states of a graph's nodes: of those that tracing has come to only, for
/// many a trace is of a few nodes of a large graph.
class NodeStates {
public:
  /// The node's state, to be changed; it stays where it is.
  NodeState &operator[](int node) { return states[node]; }
  const NodeState &at(int node) const;

private:
  std::unordered_map<int, NodeState> states;
};

/// Values given from outside instead of the nodes' own.
class Feeds {
public:
  Feeds() = default;
  explicit Feeds(llvm::ArrayRef<Edge> edges) {
    for (Edge edge : edges)
      add(edge, {});
  }
  void add(Edge edge, Traced value) {
    values[{edge.node, edge.output}] = std::move(value);
    nodes.insert(edge.node);
  }
  /// Null where the edge is not fed.
  const Traced *find(Edge edge) const {
    auto found = values.find({edge.node, edge.output});
    return found == values.end() ? nullptr : &found->second;
  }
  bool hasNode(int node) const { return nodes.contains(node); }

private:
  llvm::DenseMap<std::pair<int, int>, Traced> values;
  llvm::DenseSet<int> nodes;
};

/// A graph that is being traced.
struct Frame {
  const Graph *graph;
  /// The functions' arguments.
  llvm::SmallVector<Traced> arguments;
  const Bindings *bindings = nullptr;
  /// Where the function was called; null for the outermost graph.
  mlir::LocationAttr caller;
  NodeStates states;
  /// Under which conditions the call runs.
  Guards guards;
  std::shared_ptr<const Feeds> fed;
  std::vector<int> order;
  size_t next = 0;
  llvm::SmallVector<Edge> wanted;
  /// Takes the wanted values when all is traced, or hears that some are behind
  /// nodes that are not supported.
  std::function<mlir::LogicalResult(llvm::SmallVector<Traced>, bool)> done;
};

/// Where the values of variables come from; null Traced where unknown.
class VariableSource {
public:
  virtual ~VariableSource() = default;
  /// The variable of that name in the model's checkpoint; null where there is
  /// none. Failure where the checkpoint is damaged, which was then reported.
  virtual mlir::FailureOr<mlir::ElementsAttr> value(llvm::StringRef name) = 0;
  /// What the checkpoint calls it; empty where there is none.
  virtual std::string key(llvm::StringRef name) = 0;
  /// Which slice of the checkpoint's tensor it is, `10 4 0,5:-`; empty for one
  /// that is a whole tensor.
  virtual std::string slice(llvm::StringRef name) = 0;
  /// Every name that it has.
  virtual llvm::SmallVector<llvm::StringRef> names() const = 0;
};

class StateVariables;

class Tracer : public Tracing {
public:
  Tracer(Report &report, Library &library, VariableSource *variables,
         mlir::OpBuilder &builder)
      : Tracing(report, builder), library(library), variables(variables) {}

  /// The values of `wanted`, with `fed` given; traces what they need and what
  /// must run besides: `targets`, and what those and they wait for.
  mlir::FailureOr<llvm::SmallVector<Traced>> trace(const Graph &graph,
                                                   llvm::ArrayRef<Edge> wanted,
                                                   llvm::ArrayRef<int> targets,
                                                   Feeds fed);

  /// Traces the function in place of the node, whose results are then the
  /// function's. For handlers of calls: returns at once.
  mlir::LogicalResult call(Node &node, llvm::StringRef function,
                           const Bindings &bindings,
                           llvm::ArrayRef<Traced> arguments);
  /// Traces the function at the builder's place and gives its results. For
  /// handlers of control flow, whose functions go to regions.
  mlir::FailureOr<llvm::SmallVector<Traced>>
  traceFunction(Node &node, llvm::StringRef function, const Bindings &bindings,
                llvm::ArrayRef<Traced> arguments);
  /// The function's graph; null after an error at the node.
  Graph *functionGraph(Node &node, llvm::StringRef function);

  /// The constant of a node, read at its first use.
  mlir::FailureOr<Constant> constant(Node &node,
                                     ::tensorflow::TensorProto &proto);

  /// The value of an edge that nothing of the graph's own frame has asked for,
  /// traced by itself.
  mlir::FailureOr<Traced> traceAside(const Graph &graph, Edge edge);

  /// Traces edges inside a loop of the innermost frame's graph.
  mlir::FailureOr<llvm::SmallVector<Traced>>
  traceLevel(Node &node, const Graph &graph, llvm::ArrayRef<Edge> wanted,
             Feeds fed, int level);
  /// The value of an edge that has been traced; `unsupported` where its node
  /// is not.
  mlir::FailureOr<Traced> value(const Frame &frame, Edge edge,
                                mlir::Location at, bool &unsupported);
  Guards guardsOf(const Frame &frame, Edge edge) const;
  /// Whether the node at work is in a region, or under a condition.
  bool isConditional() {
    return nesting || !frame().guards.empty() ||
           !frame().states.at(currentNode()).guards.empty();
  }
  /// The node at work.
  int currentNode() { return frame().order[frame().next - 1]; }

  /// The innermost graph, and the one that calls all others.
  Frame &frame() { return *frames.back(); }
  const Graph &outermost() const { return *frames.front()->graph; }

  /// Keeps the results of a node that `--keep` names, where no handler gives
  /// them: a call, or control flow.
  void keepResults(const Frame &frame, int node);

  Library &library;
  VariableSource *variables;
  /// State of handlers that must outlive a node, by name.
  llvm::StringMap<Traced> state;
  /// The variables that entries assign; null: none.
  StateVariables *stateVariables = nullptr;
  /// What such variables, by their symbols, are known to hold where each run
  /// passes once.
  llvm::StringMap<mlir::Value> known;
  /// Whether the entry initializes variables.
  bool isInit = false;

private:
  friend class Node;

  /// Traces a graph's wanted edges; `unsupported` where nodes are missing.
  mlir::FailureOr<llvm::SmallVector<Traced>>
  traceGraph(const Graph &graph, llvm::ArrayRef<Edge> wanted,
             std::shared_ptr<const Feeds> fed, bool &unsupported,
             const Frame *around = nullptr, int level = -1,
             llvm::ArrayRef<int> targets = {});
  /// What an edge carries, as operand `i` of a node, or as a result (-1): of a
  /// reference variable its value now, unless the node assigns it.
  mlir::FailureOr<Traced> dereference(Traced traced, int node, unsigned i);
  mlir::LogicalResult run(size_t base);
  mlir::LogicalResult traceNode(int node);
  mlir::LogicalResult runNode(int node, llvm::ArrayRef<Traced> operands,
                              mlir::Location at);
  /// Nodes of the first version's control flow. False where the node has been
  /// dealt with.
  mlir::FailureOr<bool> traceSwitches(int node, mlir::Location at,
                                      llvm::ArrayRef<Traced> operands);
  mlir::LogicalResult traceMerge(int node, mlir::Location at);
  mlir::LogicalResult traceExit(int node, mlir::Location at);
  void guardChecks(Mark mark, int node);
  mlir::LogicalResult finish(std::unique_ptr<Frame> frame);
  mlir::LogicalResult push(Node &node, llvm::StringRef function,
                           const Bindings &bindings,
                           llvm::ArrayRef<Traced> arguments,
                           decltype(Frame::done) done);
  mlir::Location locationOf(const Frame &frame, int node);
  llvm::SmallVector<NodeResult> resultsOf(const Frame &frame, int node) const;

  std::vector<std::unique_ptr<Frame>> frames;
  unsigned nesting = 0;
  /// The node at work has handed itself to a frame of its own.
  bool pending = false;

public:
  /// As ImportOptions has it.
  std::function<void(llvm::StringRef tensor, mlir::Type type)> onTensor = {};
};

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_TRACER_H
