// Types as people write them.

#include "compiler/import/TypeText.h"

#include "compiler/import/Elements.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace weir {

std::string typeText(std::optional<ArrayRef<int64_t>> shape, Type element,
                     StringRef called) {
  std::string text = shape ? dimsText(*shape) : "*";
  text += text.empty() ? "" : "x";
  llvm::raw_string_ostream os(text);
  if (element)
    os << element;
  else
    os << called;
  return text;
}

} // namespace weir
