// Variables that entries assign: they outlive the run. All others are
// constants, whose values the checkpoint or their initializers give.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_STATE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_STATE_H

#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/file/Trainable.h"

#include "dialects/graph/state/State.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace weir::tensorflow {

/// What an edge carries of a variable.
struct Variable : Object {
  std::string name;
  mlir::Type element;
  /// Of a variable of the first version, whose node stands for its value, too.
  bool isReference = false;
  std::optional<llvm::SmallVector<int64_t>> shape;

  /// Control flow hands it on as it is.
  bool flatten(llvm::SmallVectorImpl<mlir::Value> &) const override {
    return true;
  }
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &) const override {
    return std::make_shared<Variable>(*this);
  }
};

class Trainable;

/// The variables of a model that its entries assign.
class StateVariables {
public:
  /// Finds what the entries assign and what the options train, and declares it
  /// in the module, where it is of a known type; failure after an error.
  mlir::LogicalResult
  declare(Report &report, mlir::ModuleOp module, const Graph &graph,
          Library &library, VariableSource *source, const Trainable &trainable,
          llvm::ArrayRef<Entry> entries, const ImportOptions &options);
  /// Null where no entry assigns it.
  graph::VariableOp find(llvm::StringRef name) const;
  const std::map<std::string, graph::VariableOp> &all() const {
    return variables;
  }

private:
  std::map<std::string, graph::VariableOp> variables;
};

void addAssignHandlers(Handlers &);
/// Of random numbers whose state is a variable.
void addGeneratorHandlers(Handlers &);
void addOptimizerHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_STATE_H
