// What a compilation decided, for --remarks and --report.

#ifndef WEIR_COMPILER_REPORT_DECISIONS_H
#define WEIR_COMPILER_REPORT_DECISIONS_H

#include "compiler/emit/Emit.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace weir {

struct ReportOptions {
  /// Where the report goes, as JSON or, by its name's ending, as HTML; empty:
  /// nowhere.
  std::string path;
  /// Kinds of remarks to print that this is found in; empty: none.
  std::string remarks;
  /// The times of a run, from `weir-run --profile=FILE.json`; null without it.
  llvm::json::Value profile = nullptr;
  std::string profilePath;
  /// What a report says of its making: the compiler, the model's path, and the
  /// arguments.
  std::string compiler, model;
  std::vector<std::string> arguments;

  bool isOn() const { return !path.empty() || !remarks.empty(); }
};

/// The kinds of remarks.
llvm::ArrayRef<llvm::StringLiteral> remarkKinds();

/// What is wrong with the options, in words; empty where nothing is.
std::string whatIsWrong(const ReportOptions &options);

/// Looks at what stages leave, says what they decided, and keeps it.
class Decisions {
public:
  Decisions(mlir::ModuleOp module, const ReportOptions &options);

  /// Of several modules, one for each kind of processor, the first is meant.
  void addStage(llvm::StringRef stage, double seconds, mlir::ModuleOp module);
  /// A file that was written, which lies at `file` as yet.
  void addProduct(llvm::StringRef path, llvm::StringRef file);
  /// Adds the times of the options' profile to the tasks. An error states why
  /// it is not a profile of this program.
  llvm::Error addProfile();
  /// Writes the report, if one is asked for.
  llvm::Error write(std::vector<OutputFile> &files) const;

private:
  void addTraining(mlir::ModuleOp module);
  void addGroups(mlir::ModuleOp module);
  void addKernels(mlir::ModuleOp module);
  void addSchedules(mlir::ModuleOp module);
  void addPlan(mlir::ModuleOp module);
  bool isTold(llvm::StringRef kind) const;
  /// Keeps a remark for the report, and prints it if it is asked for.
  void tell(llvm::StringRef kind, mlir::Location location,
            const llvm::Twine &text);

  const ReportOptions &options;
  llvm::json::Object report;
};

/// Writes the report as a page that needs no other file.
void writeHtml(const llvm::json::Object &report, llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_COMPILER_REPORT_DECISIONS_H
