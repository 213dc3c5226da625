// Names of TensorFlow tensors: NODE:INDEX, where ":0" may be left out.

#ifndef WEIR_DIALECTS_WEIR_TENSORNAME_H
#define WEIR_DIALECTS_WEIR_TENSORNAME_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// The name without ":0".
inline llvm::StringRef withoutIndex(llvm::StringRef tensor) {
  tensor.consume_back(":0");
  return tensor;
}

/// The name with ":0", unless it has an index.
inline std::string withIndex(llvm::StringRef tensor) {
  return tensor.str() + (tensor.contains(':') ? "" : ":0");
}

/// Whether both names are of one tensor.
inline bool isSameTensor(llvm::StringRef a, llvm::StringRef b) {
  return withoutIndex(a) == withoutIndex(b);
}

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_TENSORNAME_H
