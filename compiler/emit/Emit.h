// The way out: a module in the llvm dialect becomes a library and its header.
#ifndef WEIR_COMPILER_EMIT_EMIT_H
#define WEIR_COMPILER_EMIT_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace weir {

class Progress;

enum class Product { Shared, Static, Object, Executable, Llvm, Asm, Mlir, Ptx };

/// What a `--emit=` word or the ending of an output's name asks for; a name
/// without an ending is an executable's.
std::optional<Product> productOfWord(llvm::StringRef word);
std::optional<Product> productOfPath(llvm::StringRef path);
/// All words, and all endings, those with commas.
llvm::SmallVector<llvm::StringRef> productWords();
std::string productEndings();
/// Whether the product may go to stdout.
bool isText(Product product);

struct EmitOptions {
  std::string output; // where the product goes; text also to "-", stdout
  Product product = Product::Shared;
  std::string header;         // C header; empty: none
  std::string prefix;         // of C names; empty: from the output's name
  std::string cppClass;       // ns::Name; empty: none
  unsigned optLevel = 2;      // 0..3
  bool weightsFile = false;   // weights beside the output, not in it
  bool debugNames = false;    // symbols of kernels have the names of nodes
  bool releaseWeights = true; // may drop resource blobs once written
  /// The files of -g: the IR of kernels, one for each instruction-set variant.
  /// The product has no debug information if there are none.
  std::vector<std::string> kernelTexts;
  std::string debugDir; // the folder of these files in DWARF; empty: "."
  /// C functions that the code calls, and the files that have them.
  std::vector<std::string> customSymbols, customObjects;
  Progress *progress = nullptr; // is told of kernels that are done
};

/// Where the weights go that are not in the product.
std::string weightsPath(const EmitOptions &options);

/// Where the IR of kernels goes: beside the product, or to `debugDir`. The
/// variant is empty for a library of one instruction set.
std::string kernelTextPath(const EmitOptions &options, llvm::StringRef variant);

/// Which file would be written over one of `inputs` or over another that is
/// written, in words; empty where each has its own place. A report goes to
/// `report`, a depfile to `depfile` and a trace to `trace`, if these are
/// anything.
std::string samePlaces(const EmitOptions &options, llvm::StringRef report,
                       llvm::StringRef depfile, llvm::StringRef trace,
                       llvm::ArrayRef<std::string> inputs);

/// What is wrong with the files of custom functions, or nothing: each function
/// stands in one of them.
std::string checkCustomObjects(const EmitOptions &options);

/// A file could not be written: exit status 74, not an internal error.
struct IoError : llvm::ErrorInfo<IoError> {
  static char ID;
  std::string path;
  std::error_code code;
  std::string reason; // in words; empty: the code's own
  IoError(llvm::StringRef path, std::error_code code,
          llvm::StringRef reason = "")
      : path(path), code(code), reason(reason) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return code; }
};

class OutputFile;

/// Writes the product, and optionally the header and the weights file, to
/// `files`, the product last; keepAll (Output.h) moves them to their final
/// paths. Output to stdout is written at once. The module has the attributes of
/// the plan (weir.entries and others). Several modules are variants of one
/// model for instruction sets, the best first, which has the attributes of all.
llvm::Error emit(llvm::ArrayRef<mlir::ModuleOp> isaVariants,
                 const EmitOptions &options, std::vector<OutputFile> &files);

} // namespace weir

#endif
