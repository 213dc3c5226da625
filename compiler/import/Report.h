// Reports the errors of an importer.

#ifndef WEIR_COMPILER_IMPORT_REPORT_H
#define WEIR_COMPILER_IMPORT_REPORT_H

#include "compiler/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringSet.h"

namespace weir {

/// The file that is being read, and the worst that was said of it.
class Report {
public:
  Report(mlir::MLIRContext *context, llvm::StringRef path)
      : context(context), path(path),
        position(mlir::FileLineColLoc::get(context, path, 0, 0)),
        listener(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
              status == Status::ok)
            status = Status::badInput;
          return mlir::failure(); // Others print it.
        }) {}

  /// The file as a whole, or one of its nodes.
  mlir::Location file() const { return position; }
  mlir::Location node(llvm::StringRef name) const {
    return mlir::NameLoc::get(mlir::StringAttr::get(context, name), position);
  }

  mlir::InFlightDiagnostic error(Status kind = Status::badInput) {
    return error(position, kind);
  }
  mlir::InFlightDiagnostic error(mlir::Location at,
                                 Status kind = Status::badInput) {
    if (status == Status::ok)
      status = kind;
    return mlir::emitError(at);
  }

  /// Something that the user should know though it is no fault.
  mlir::InFlightDiagnostic warning(mlir::Location at) {
    return mlir::emitWarning(at);
  }

  mlir::MLIRContext *const context;
  const std::string path;
  Status status = Status::ok;
  /// How many scalars dynamic sizes have been named by (graph.symbol).
  int64_t symbols = 0;
  /// Which dimensions of the entry's inputs only the run knows, and what fixes
  /// them: a sentence for nodes that are not supported with such sizes.
  std::string fixingSizes;
  /// Warnings that are not to be repeated for another entry.
  llvm::StringSet<> told;

private:
  mlir::Location position;
  /// Hears of errors that ops report themselves.
  mlir::ScopedDiagnosticHandler listener;
};

/// While it lives, errors in the content of files are not printed and do not
/// count: the import reports them. Failures of the system pass.
class IgnoredContent {
public:
  explicit IgnoredContent(Report &report)
      : report(report), handler(report.context, [&report](mlir::Diagnostic &) {
          return mlir::success(isOfContent(report.status));
        }) {}
  ~IgnoredContent() {
    if (isOfContent(report.status))
      report.status = Status::ok;
  }

private:
  static bool isOfContent(Status status) {
    return status == Status::badInput || status == Status::unsupported;
  }

  Report &report;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_REPORT_H
