// What arithmetic of floats may do besides what IEEE 754 says.

#include "compiler/target/FastMath.h"

#include "compiler/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {

/// Not that there are no infinities: weir's own formulas pass through some.
static constexpr StringLiteral known[] = {"reassoc", "nnan",     "nsz",
                                          "arcp",    "contract", "afn"};

std::string parseFastMath(StringRef list, std::string &flags) {
  flags.clear();
  if (list == "none")
    return "";
  SmallVector<StringRef> words, chosen;
  list.split(words, ',');
  SmallVector<StringRef> all(std::begin(known), std::end(known));
  all.append({"fast", "none"});
  for (StringRef word : words) {
    if (word == "fast")
      chosen.assign(std::begin(known), std::end(known));
    else if (is_contained(known, word))
      chosen.push_back(word);
    else if (word == "none")
      return "'none' goes alone";
    else
      return unknownValue(word, all);
  }
  flags = join(chosen, ",");
  return "";
}

} // namespace weir
