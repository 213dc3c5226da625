// ONNX's own operators as parts of others.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_PART_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_PART_H

#include "compiler/import/onnx/microsoft/Microsoft.h"

namespace weir::onnx {

/// An operator of ONNX's own that computes a part of another node. Diagnostics
/// name that node.
class Part {
public:
  Part(Node &node, llvm::StringRef op);
  ~Part();

  Part &set(llvm::StringRef name, int64_t value);
  Part &set(llvm::StringRef name, double value);
  Part &set(llvm::StringRef name, llvm::StringRef value);
  Part &set(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  /// The node's own attributes of these names, where it has them.
  Part &keep(llvm::ArrayRef<llvm::StringRef> names);

  /// The results of these operands; one without a value is left out.
  mlir::FailureOr<llvm::SmallVector<Expr>> run(llvm::ArrayRef<Expr> operands);
  /// The first of them.
  mlir::FailureOr<Expr> runForOne(llvm::ArrayRef<Expr> operands);

private:
  Node &node;
  std::string op;
  std::unique_ptr<::onnx::NodeProto> def;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_PART_H
