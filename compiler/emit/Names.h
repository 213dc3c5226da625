// Foreign names made harmless: identifiers, comments and string literals of C.
#ifndef WEIR_COMPILER_EMIT_NAMES_H
#define WEIR_COMPILER_EMIT_NAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// Letters, digits and `_` of the text, never empty, never a keyword of C or
/// C++ or a likely macro, never reserved.
std::string cIdentifier(llvm::StringRef text);

/// The same in capitals, as for macros.
std::string cMacro(llvm::StringRef text);

/// Names, and the number from which to look for one like it that is free.
using TakenNames = llvm::StringMap<unsigned>;

/// The name itself, or with the first of _2, _3, ... that is not taken.
std::string unique(std::string name, TakenNames &taken);

/// Printable ASCII only, without what could end a comment or continue a line.
std::string forComment(llvm::StringRef text);

/// Names of values in LLVM IR. They begin with a prefix that no C symbol has,
/// and are no attributes: dialects/weir has those.
namespace globals {

inline constexpr llvm::StringLiteral prefix = "weir.";
inline constexpr llvm::StringLiteral apart = "weir.apart";
inline constexpr llvm::StringLiteral attentions = "weir.attentions";
inline constexpr llvm::StringLiteral checks = "weir.checks";
inline constexpr llvm::StringLiteral convs = "weir.convs";
inline constexpr llvm::StringLiteral cubin = "weir.cubin";
inline constexpr llvm::StringLiteral deviceTensor = "weir.device_tensor";
inline constexpr llvm::StringLiteral dims = "weir.dims";
inline constexpr llvm::StringLiteral elements = "weir.elements";
inline constexpr llvm::StringLiteral entries = "weir.entries";
inline constexpr llvm::StringLiteral flags = "weir.flags";
inline constexpr llvm::StringLiteral functions = "weir.functions";
inline constexpr llvm::StringLiteral gemms = "weir.gemms";
inline constexpr llvm::StringLiteral gpu = "weir.gpu";
inline constexpr llvm::StringLiteral images = "weir.images";
inline constexpr llvm::StringLiteral info = "weir.info";
inline constexpr llvm::StringLiteral kernels = "weir.kernels";
inline constexpr llvm::StringLiteral key = "weir.key";
inline constexpr llvm::StringLiteral least = "weir.least";
inline constexpr llvm::StringLiteral levelNames = "weir.level_names";
inline constexpr llvm::StringLiteral levels = "weir.levels";
inline constexpr llvm::StringLiteral model = "weir.model";
inline constexpr llvm::StringLiteral nodes = "weir.nodes";
inline constexpr llvm::StringLiteral mesh = "weir.mesh";
inline constexpr llvm::StringLiteral profile = "weir.profile";
inline constexpr llvm::StringLiteral profileLevels = "weir.profile_levels";
inline constexpr llvm::StringLiteral ptx = "weir.ptx";
inline constexpr llvm::StringLiteral roles = "weir.roles";
inline constexpr llvm::StringLiteral run = "weir.run";
inline constexpr llvm::StringLiteral runDevice = "weir.run_device";
inline constexpr llvm::StringLiteral shape = "weir.shape";
inline constexpr llvm::StringLiteral shared = "weir.shared";
inline constexpr llvm::StringLiteral sizes = "weir.sizes";
inline constexpr llvm::StringLiteral slices = "weir.slices";
inline constexpr llvm::StringLiteral state = "weir.state";
inline constexpr llvm::StringLiteral strings = "weir.strings";
inline constexpr llvm::StringLiteral tasks = "weir.tasks";
inline constexpr llvm::StringLiteral tensors = "weir.tensors";
inline constexpr llvm::StringLiteral text = "weir.text";
inline constexpr llvm::StringLiteral variables = "weir.variables";
inline constexpr llvm::StringLiteral weights = "weir.weights";
inline constexpr llvm::StringLiteral weightsSlot = "weir.weights_slot";

} // namespace globals

} // namespace weir

#endif
