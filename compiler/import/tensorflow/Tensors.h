// TensorFlow's types and constants as MLIR's.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H

#include "compiler/import/Elements.h"
#include "compiler/import/tensorflow/proto/tensor.pb.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <string>
#include <vector>

namespace weir::tensorflow {

/// A constant: two attributes where it is complex, strings where it is those.
struct Constant {
  mlir::ElementsAttr value, imaginary;
  std::vector<std::string> strings;
  llvm::SmallVector<int64_t> shape;
};

/// Reads a constant in any of its encodings. Takes large contents out of the
/// message instead of copying them; `name` is for the resource. On failure,
/// `why` says what is wrong.
mlir::FailureOr<Constant> readTensor(mlir::MLIRContext *context,
                                     ::tensorflow::TensorProto &proto,
                                     llvm::StringRef name, std::string &why);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_TENSORS_H
