// A graph's nodes by name, and its edges: of a GraphDef or of a function.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_GRAPH_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_GRAPH_H

#include "compiler/import/Report.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/proto/graph.pb.h"

#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>

namespace weir::tensorflow {

class Library;
class LoopNest;

/// One result of a node, or an argument of the function.
struct Edge {
  int node = 0;
  int output = 0;

  static Edge argument(int index) { return {~index, 0}; }
  bool isArgument() const { return node < 0; }
  int argumentIndex() const { return ~node; }
  bool operator==(Edge other) const {
    return node == other.node && output == other.output;
  }
};

class Graph {
public:
  /// Null after an error: a name that is none, a duplicate, an edge from
  /// nowhere. The message outlives the graph.
  static std::unique_ptr<Graph>
  create(Report &report, ::tensorflow::GraphDef &def, const Library &library);
  static std::unique_ptr<Graph> create(Report &report,
                                       ::tensorflow::FunctionDef &def,
                                       const Library &library);

  int size() const { return nodes.size(); }
  ::tensorflow::NodeDef &node(int i) const { return *nodes[i]; }
  llvm::StringRef name(int i) const { return nodes[i]->name(); }
  llvm::StringRef op(int i) const { return nodes[i]->op(); }
  std::optional<int> find(llvm::StringRef name) const;
  llvm::SmallVector<llvm::StringRef> names() const;

  llvm::ArrayRef<Edge> operands(int node) const {
    return llvm::ArrayRef(edges).slice(starts[node],
                                       starts[node + 1] - starts[node]);
  }
  /// The edge that this one is the value of, behind nodes that change nothing.
  Edge behindIdentities(Edge edge) const;
  /// The nodes that must run before.
  llvm::ArrayRef<int> controls(int node) const {
    return llvm::ArrayRef(controlEdges)
        .slice(controlStarts[node],
               controlStarts[node + 1] - controlStarts[node]);
  }

  /// Of a function: its arguments' and results' names and types, what each
  /// result is, and what must run.
  const ::tensorflow::FunctionDef *function = nullptr;
  llvm::SmallVector<Edge> returns;
  llvm::SmallVector<int> controlReturns;

  /// Whether conditionals or loops of the first version are among the nodes.
  bool hasSwitches = false;
  /// Their loops; null where there are no Enter and Exit nodes.
  std::shared_ptr<LoopNest> loops;

  /// The order in which a function's nodes are traced, once it is known.
  std::optional<std::vector<int>> order;

private:
  bool add(Report &report, ::tensorflow::NodeDef &def);
  bool connect(Report &report, const Library &library);
  bool connectReturns(Report &report, const Library &library);
  std::optional<Edge> parseEdge(llvm::StringRef text, const Library &library,
                                std::string &why) const;

  bool hasLoops = false;
  std::vector<::tensorflow::NodeDef *> nodes;
  llvm::StringMap<int> byName;
  llvm::StringMap<int> arguments;
  std::vector<Edge> edges;
  std::vector<int> controlEdges;
  std::vector<uint32_t> starts, controlStarts;
};

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_GRAPH_H
