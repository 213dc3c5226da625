// The text of --kernel and --print-ir-after.
#ifndef WEIR_COMPILER_DUMP_DUMP_H
#define WEIR_COMPILER_DUMP_DUMP_H

#include "compiler/dump/DumpOptions.h"
#include "compiler/dump/Selection.h"
#include "compiler/emit/Emit.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

/// Collects the forms of kernels while stages run, and prints them kernel by
/// kernel.
class Dump {
public:
  explicit Dump(const DumpOptions &options);

  /// Prints to this dump what the passes of the options leave. The context must
  /// have one thread.
  void watchPasses(mlir::PassManager &pm);
  /// Adds the kernels of a module after a stage. With --multiversion each
  /// variant has a module.
  void addStage(llvm::StringRef stage, llvm::StringRef variant,
                mlir::ModuleOp module);
  /// Whether the dump has the code of kernels, too.
  bool wantsCode() const;
  /// Adds LLVM IR, assembly and costs.
  llvm::Error addCode(llvm::ArrayRef<mlir::ModuleOp> isaVariants,
                      llvm::ArrayRef<llvm::StringRef> variants,
                      const EmitOptions &emit);

  /// What is wrong where nothing was selected; empty: nothing.
  std::string fault() const;
  void print(llvm::raw_ostream &os) const;

private:
  class PassPrinter;

  /// One kernel of one variant.
  struct Kernel {
    std::string title, text;
  };
  /// The last form of a function, to recognize a stage that does not change it.
  struct Form {
    std::string stage, text;
  };

  Kernel &kernelOf(llvm::StringRef function, llvm::StringRef variant,
                   llvm::StringRef node = "");
  void addForm(mlir::Operation *function, llvm::StringRef stage,
               llvm::StringRef variant);

  const DumpOptions &options;
  Selection selection;
  std::vector<Kernel> kernels;
  llvm::StringMap<size_t> numbers;
  llvm::StringMap<Form> forms;
  /// The text of passes.
  std::string passes;
};

} // namespace weir

#endif // WEIR_COMPILER_DUMP_DUMP_H
