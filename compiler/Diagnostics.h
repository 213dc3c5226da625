// Prints diagnostics, suggests names, and defines the exit statuses of tools.

#ifndef WEIR_COMPILER_DIAGNOSTICS_H
#define WEIR_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// How a run ended; the numbers are the tools' exit statuses.
enum class Status {
  ok = 0,
  badInput = 1,
  badUsage = 2,
  unsupported = 3,
  internal = 70,
  io = 74,
  limit = 75,
};

/// `text` fit for a terminal and for one line: control characters and bytes
/// that are not printable ASCII as `\xNN`, and cut in the middle where it is
/// longer than `limit`.
std::string escaped(llvm::StringRef text, size_t limit = 200);

/// `text` as one argument of a shell's command, in quotes where it needs them.
std::string asArgument(llvm::StringRef text);

/// While it lives, prints what a context reports in clang's form, with the
/// node that a location names, which MLIR's own printer loses:
///
///   model.pb: error: node 'a/b': the text
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext *context, llvm::raw_ostream &os);

  /// Whether an error was printed.
  bool anyError() const { return errors; }

private:
  void print(mlir::Diagnostic &diagnostic);
  void print(mlir::Diagnostic &diagnostic, llvm::raw_ostream &os,
             bool isColored);

  llvm::raw_ostream &os;
  bool errors = false;
};

/// Names that are most like `wanted`, best first; none that are far from it.
llvm::SmallVector<llvm::StringRef>
closest(llvm::StringRef wanted, llvm::ArrayRef<llvm::StringRef> names,
        unsigned most = 3);

/// `; did you mean 'a', 'b'?`, or nothing where nothing is close.
std::string didYouMean(llvm::StringRef wanted,
                       llvm::ArrayRef<llvm::StringRef> names);

/// The error for a value that an option does not have:
/// `unknown value 'shraed' (one of: shared, static); did you mean 'shared'?`
std::string unknownValue(llvm::StringRef value,
                         llvm::ArrayRef<llvm::StringRef> known);

/// The same for names in a table of another type.
template <typename Range>
std::string unknownValue(llvm::StringRef value, const Range &known) {
  llvm::SmallVector<llvm::StringRef> names(std::begin(known), std::end(known));
  return unknownValue(value, llvm::ArrayRef<llvm::StringRef>(names));
}

} // namespace weir

#endif // WEIR_COMPILER_DIAGNOSTICS_H
