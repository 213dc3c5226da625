// What a debugging library has besides its model: kept results of nodes, and
// checks of their numbers and of their shapes.

#ifndef WEIR_COMPILER_IMPORT_DEBUG_INSTRUMENTS_H
#define WEIR_COMPILER_IMPORT_DEBUG_INSTRUMENTS_H

#include "compiler/import/Report.h"
#include "compiler/import/Traced.h"
#include "dialects/weir/NamePattern.h"

#include <map>
#include <optional>
#include <set>

namespace weir {

class TracedNode;
struct Size;

/// What a model declares of a dimension.
struct DeclaredDim {
  /// ShapedType::kDynamic if the model declares none.
  int64_t size;
  /// The name of a dynamic size; may be empty.
  std::string name;
};

/// One result of a node, by the names that the model has for it.
struct NodeResult {
  /// The name of the node, and the names in a library that `--keep` matches.
  std::string node, tensor;
  const Traced *traced;
  /// The node in the file, which further traces of it share.
  const void *source;
  /// The shape that the model declares, if any.
  std::optional<std::vector<DeclaredDim>> declared = {};
};

class Instruments {
public:
  Instruments();
  ~Instruments();

  /// Keeps the results of nodes whose whole name matches.
  void setKeep(llvm::StringRef regex);
  void setChecksNumbers() { checksNumbers = true; }
  void setChecksShapes() { checksShapes = true; }
  bool keeps() const { return pattern.has_value(); }

  /// The name of a kept tensor. Tensors of several nodes may have one name, as
  /// those in two branches: the first node keeps it, others get a number.
  std::string claim(llvm::StringRef tensor, const void *source);

  /// Begins an entry of the model.
  void enter();
  /// Takes the sizes of named dimensions from an input.
  void addInput(const Traced &traced, llvm::ArrayRef<DeclaredDim> declared);
  /// Adds what the options request behind a node that has been traced.
  /// `callers` is the place of the call that the node is in, or null.
  void add(TracedNode &node, mlir::LocationAttr callers,
           llvm::ArrayRef<NodeResult> results);
  /// Keeps the results that match, alone: of calls, and of control flow.
  void keep(mlir::OpBuilder &builder, mlir::Location at,
            mlir::LocationAttr callers, llvm::ArrayRef<NodeResult> results);

  /// An error if no node matches `--keep`.
  mlir::LogicalResult finish(Report &report, mlir::Operation *module) const;

private:
  void keep(mlir::ImplicitLocOpBuilder &b, const NodeResult &result,
            const std::string &path);

  std::string text;
  std::optional<NamePattern> pattern;
  bool checksNumbers = false, checksShapes = false;
  /// The sizes of the dimensions that the model names, in the entry.
  std::map<std::string, Size> named;
  /// The nodes that could have been kept.
  std::set<std::string> names;
  /// The node and the tensor in the model of each name that is taken.
  std::map<std::string, std::pair<const void *, std::string>> owners;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_DEBUG_INSTRUMENTS_H
