// Variables: their handles, and their values. Those that no entry assigns are
// constants: what a checkpoint or their initializer gives them.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_VARIABLENODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_VARIABLENODES_H

#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/state/State.h"

namespace weir::tensorflow {

/// What a variable's node is called by those that share it.
std::string variableName(const ::tensorflow::NodeDef &def);

/// The variable at operand `i`; null where that is none.
const Variable *variableAt(Node &node, unsigned i);
/// The variable's value now.
mlir::FailureOr<mlir::Value> currentValue(Node &node, const Variable &variable);
/// Gives the variable a value, which its next readers see. Under a condition,
/// where that holds.
mlir::LogicalResult assign(Node &node, const Variable &variable,
                           mlir::Value value);
/// The operand as a tensor: of a variable its value now.
mlir::FailureOr<mlir::Value> tensorAt(Node &node, unsigned i);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_VARIABLENODES_H
