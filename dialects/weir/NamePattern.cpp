// Checks and compiles regular expressions for names.

#include "dialects/weir/NamePattern.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {

static std::string wholeName(StringRef text) {
  return ("^(" + text + ")$").str();
}

std::string NamePattern::fault(StringRef text) {
  for (size_t i = text.find('\\'); i < text.size(); i = text.find('\\', i + 2))
    if (i + 1 < text.size() && isDigit(text[i + 1]))
      return "back-references are not supported";
  // 'a)(b' is valid only when wrapped.
  std::string fault;
  if (Regex(text).isValid(fault))
    Regex(wholeName(text)).isValid(fault);
  return fault;
}

NamePattern NamePattern::whole(StringRef text) {
  NamePattern pattern;
  if (fault(text).empty())
    pattern.regex.emplace(wholeName(text));
  return pattern;
}

NamePattern NamePattern::part(StringRef text) {
  NamePattern pattern;
  if (fault(text).empty())
    pattern.regex.emplace(text);
  return pattern;
}

} // namespace weir
