// What the functions of a library return: tensors of the model, gradients, and
// the loss.

#ifndef WEIR_COMPILER_IMPORT_FETCHED_H
#define WEIR_COMPILER_IMPORT_FETCHED_H

#include "compiler/import/Import.h"

namespace weir {

/// Parses `train:loss,w;step`; the command line has been checked for its form.
EntryRequest parseEntry(llvm::StringRef text);

/// One result of an entry.
struct Fetched {
  enum Kind { output, gradient, loss };
  Kind kind = output;
  /// Which of the entry's outputs, or of the gradients.
  size_t number = 0;
};

/// What `--loss` calls its loss in the other options.
constexpr llvm::StringLiteral lossName = "loss";

/// The result that an option names, where it is none of the model's tensors:
/// a gradient of these names, or the loss.
std::optional<Fetched> fetchedNamed(llvm::StringRef name,
                                    llvm::ArrayRef<std::string> gradients,
                                    const ImportOptions &options);

/// Whether a `--fetch` or an `--entry` names one of these gradients.
bool fetchesGradients(const ImportOptions &options,
                      llvm::ArrayRef<std::string> gradients);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_FETCHED_H
