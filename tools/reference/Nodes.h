// The values of a model's nodes, for comparisons node by node.

#ifndef WEIR_TOOLS_REFERENCE_NODES_H
#define WEIR_TOOLS_REFERENCE_NODES_H

#include "compiler/Diagnostics.h"
#include "compiler/reference/Interpreter.h"
#include <map>

namespace weir::reference {

/// The value of each node: the results of the last op that is of the node, in
/// the last round of a loop. A node of a function has the names of its calls
/// before its own. All values stay in memory.
class NodeValues {
public:
  /// Fills the values during a run. They outlive the observer.
  Observer observer();
  /// Writes each one to `FOLDER/NODE.npy`, and further results of a node to
  /// `NODE_1.npy` and so on.
  Status write(llvm::StringRef folder, bool writesF64) const;

private:
  std::map<std::string, llvm::SmallVector<TensorRef, 1>> values;
};

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_NODES_H
