// The instruction-set variants that one library may have.

#ifndef WEIR_COMPILER_TARGET_ISAVARIANT_H
#define WEIR_COMPILER_TARGET_ISAVARIANT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// An instruction-set variant of `--multiversion`: its name, and the processor,
/// the features and the vector width in bits that it is compiled for.
struct IsaVariant {
  llvm::StringRef name, cpu, features;
  int64_t vectorBits;
};

/// Parses names that commas separate, and returns them in `instruction-set
/// variants`, the best first. An unknown or repeated name leaves a message in
/// `wrong`.
bool parseIsaVariants(llvm::StringRef text,
                      std::vector<IsaVariant> &isaVariants, std::string &wrong);

} // namespace weir

#endif // WEIR_COMPILER_TARGET_ISAVARIANT_H
