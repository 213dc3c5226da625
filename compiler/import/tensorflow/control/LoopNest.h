// The loops of a graph whose control flow is of the first version: which nodes
// are in which frame.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPNEST_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPNEST_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace weir::tensorflow {

class Graph;

struct FrameLoop {
  /// The loop around it; -1 for none.
  int parent = -1;
  unsigned depth = 0;
  llvm::SmallVector<int> enters, merges, switches, exits;
  /// The node that gives the condition; -1 where there is none.
  int condition = -1;
};

class LoopNest {
public:
  explicit LoopNest(const Graph &graph);

  /// The loop that a node's results are in; -1 outside of all.
  int loopOf(int node) const { return loops[node]; }
  const FrameLoop &loop(int i) const { return all[i]; }
  /// The loop that an Exit leaves; -1 where it leaves none.
  int left(int exit) const;
  /// Whether a node's operands are of different loops.
  bool isMixed(int node) const { return mixed[node]; }

private:
  int enter(int node, int outside);

  const Graph &graph;
  std::vector<int> loops;
  std::vector<bool> mixed;
  std::vector<FrameLoop> all;
};

/// RefSwitch is a Switch, RefExit an Exit ...
llvm::StringRef plainOp(llvm::StringRef op);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPNEST_H
