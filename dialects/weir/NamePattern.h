// Regular expressions for the names of nodes, kernels and variables.

#ifndef WEIR_DIALECTS_WEIR_NAMEPATTERN_H
#define WEIR_DIALECTS_WEIR_NAMEPATTERN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <optional>
#include <string>

namespace weir {

class NamePattern {
public:
  /// Why `text` is no pattern; empty if it is one. Back-references are no part
  /// of patterns: they make the time of a match exponential.
  static std::string fault(llvm::StringRef text);

  /// A pattern that must match a whole name. With a fault, it matches no name.
  static NamePattern whole(llvm::StringRef text);
  /// A pattern that must match a part of a name.
  static NamePattern part(llvm::StringRef text);

  bool matches(llvm::StringRef name) const {
    return regex && regex->match(name);
  }

private:
  std::optional<llvm::Regex> regex;
};

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_NAMEPATTERN_H
