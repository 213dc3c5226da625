// The instruction-set variants that one library may have.

#include "compiler/target/IsaVariant.h"

#include "compiler/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace weir {

// The best first.
static constexpr IsaVariant known[] = {
    {"amx", "x86-64-v4", "+avx512bf16,+amx-tile,+amx-bf16,+amx-int8", 512},
    {"x86-64-v4", "x86-64-v4", "", 512},
    {"x86-64-v3", "x86-64-v3", "", 256},
    {"x86-64-v2", "x86-64-v2", "", 128},
    {"x86-64", "x86-64", "", 128}};

bool parseIsaVariants(StringRef text, std::vector<IsaVariant> &isaVariants,
                      std::string &wrong) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  llvm::SmallSet<StringRef, 8> wanted;
  for (StringRef name : names) {
    if (!llvm::any_of(known,
                      [&](const IsaVariant &l) { return l.name == name; }))
      wrong = unknownValue(
          name,
          llvm::map_to_vector(
              known, [](const IsaVariant &l) -> StringRef { return l.name; }));
    else if (!wanted.insert(name).second)
      wrong = ("'" + name + "' is there twice").str();
  }
  for (const IsaVariant &isaVariant : known)
    if (wanted.contains(isaVariant.name))
      isaVariants.push_back(isaVariant);
  return wrong.empty();
}

} // namespace weir
