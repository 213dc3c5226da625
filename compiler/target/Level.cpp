// The instruction-set variants that one library may have.

#include "compiler/target/Level.h"

#include "compiler/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace weir {

// The best first.
static constexpr Level known[] = {
    {"amx", "x86-64-v4", "+avx512bf16,+amx-tile,+amx-bf16,+amx-int8", 512},
    {"x86-64-v4", "x86-64-v4", "", 512},
    {"x86-64-v3", "x86-64-v3", "", 256},
    {"x86-64-v2", "x86-64-v2", "", 128},
    {"x86-64", "x86-64", "", 128}};

bool parseLevels(StringRef text, std::vector<Level> &levels,
                 std::string &wrong) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  llvm::SmallSet<StringRef, 8> wanted;
  for (StringRef name : names) {
    if (!llvm::any_of(known, [&](const Level &l) { return l.name == name; }))
      wrong = unknownValue(
          name, llvm::map_to_vector(
                    known, [](const Level &l) -> StringRef { return l.name; }));
    else if (!wanted.insert(name).second)
      wrong = ("'" + name + "' is there twice").str();
  }
  for (const Level &level : known)
    if (wanted.contains(level.name))
      levels.push_back(level);
  return wrong.empty();
}

} // namespace weir
