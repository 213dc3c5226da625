// Ops that functions outside of the model compute: --custom-op.

#ifndef WEIR_COMPILER_IMPORT_CUSTOM_H
#define WEIR_COMPILER_IMPORT_CUSTOM_H

#include "compiler/import/Import.h"
#include "compiler/import/TracedNode.h"

namespace weir {

/// Parses `DOMAIN::OP=SYMBOL,shape=0,type=f32,parts=4,scratch=1024`; what is
/// wrong with it, or nothing.
std::string parseCustomOp(mlir::MLIRContext *context, llvm::StringRef text,
                          ImportOptions &options);

/// Builds the call of the function for a node; the model uses `results` of its
/// results. Their shapes follow from the operands by the rules in `call`. A run
/// fails if the function returns an error.
mlir::LogicalResult importCustom(TracedNode &node, mlir::DictionaryAttr call,
                                 unsigned results);

/// How an op can be defined that weir does not know.
extern const char *const howToDefine;

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_CUSTOM_H
