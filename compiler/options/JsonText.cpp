// Parses JSON of files that users give.

#include "compiler/options/JsonText.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using llvm::StringRef;
using llvm::Twine;

namespace weir {

/// The parser of LLVM recurses into each array and object.
static constexpr int deepestNesting = 64;
static constexpr size_t largestText = size_t(64) << 20;

static llvm::Error bad(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// How deep arrays and objects are nested, until the text is no JSON.
static int nestingOf(StringRef text) {
  int depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString && c == '\\')
      ++i;
    else if (!inString && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!inString && (c == ']' || c == '}'))
      --depth;
  }
  return deepest;
}

llvm::Expected<llvm::json::Value> parseJson(StringRef text) {
  if (text.size() > largestText)
    return bad("has " + Twine(text.size()) + " bytes, more than " +
               Twine(largestText));
  if (int depth = nestingOf(text); depth > deepestNesting)
    return bad("nests arrays and objects " + Twine(depth) +
               " deep, more than " + Twine(deepestNesting));
  return llvm::json::parse(text);
}

} // namespace weir
