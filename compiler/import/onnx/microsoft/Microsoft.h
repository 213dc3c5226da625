// Operators of the domain com.microsoft, which ONNX Runtime's optimizer and the
// exporters around it write.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_MICROSOFT_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_MICROSOFT_H

#include "compiler/import/onnx/neural/Compose.h"

namespace onnx {
class NodeProto;
} // namespace onnx

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

/// x after the activation that a fused operator names; `parameters` replace the
/// defaults of its alpha and beta. An error where the name is unknown.
mlir::FailureOr<Expr> activated(Node &node, Expr x, llvm::StringRef name,
                                llvm::ArrayRef<double> parameters);

/// x (erf(x / sqrt(2)) + 1) / 2, and its approximation by tanh.
Expr gaussianError(Expr x);
Expr gaussianErrorByTanh(Expr x);

/// A vector for the last dimension of `x`; an error where operand `i` is none.
mlir::FailureOr<Expr> forLast(Node &node, unsigned i, Expr x);

/// Integers of `bits` bits, several to a byte of ui8 along the last dimension,
/// the first in the lowest bits, as f32.
Expr unpackedLast(Expr bytes, int64_t bits);

void addMicrosoftActivationHandlers(Handlers &);
/// Behind ONNX's own handlers, some of which these are.
void addMicrosoftArrayHandlers(Handlers &);
void addMicrosoftBlockHandlers(Handlers &);
void addMicrosoftExpertHandlers(Handlers &);
void addMicrosoftNormHandlers(Handlers &);
void addMicrosoftProductHandlers(Handlers &);
void addMicrosoftQuantizedHandlers(Handlers &);
/// Those that only say why they are not supported.
void addRefusedHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_MICROSOFT_H
