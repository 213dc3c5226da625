// Ops of ai.onnx.ml on numbers.

#ifndef WEIR_COMPILER_IMPORT_ONNX_LEARNED_LEARNED_H
#define WEIR_COMPILER_IMPORT_ONNX_LEARNED_LEARNED_H

#include "compiler/import/onnx/StringTable.h"
#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// Scores [rows, classes] as the attribute post_transform says.
mlir::FailureOr<Expr> transformed(Node &node, Expr scores);
/// The same, by a transform's name.
mlir::FailureOr<Expr> transformed(Node &node, Expr scores, llvm::StringRef how);
/// Operand 0 as rows of f32; a vector is one row.
mlir::FailureOr<Expr> rowsOfFloats(Node &node);
/// The labels of a classifier: the attribute `numbers`, or of strings, which
/// come first where a node has both, the indices in the table of the result.
mlir::FailureOr<Integers> classLabels(Node &node, llvm::StringRef numbers);
/// The strings that result 0 has indices of, or, of ZipMap, the names of its
/// columns; none where it is of numbers.
std::vector<std::string> resultStrings(Node &node);
/// An attribute that is a list of strings; empty where it is absent.
std::vector<std::string> stringsAttr(Node &node, llvm::StringRef attribute);
/// 0, 1, ...
Integers counting(size_t count);
/// Of each string of a table the first place in `list` that has it; the number
/// of the list's elements where it is not there.
Integers placesIn(llvm::ArrayRef<std::string> list,
                  llvm::ArrayRef<std::string> table);
/// A constant f32 vector of an attribute.
Expr floatsOf(Node &node, llvm::StringRef name);

/// How a node of a tree compares a feature with its split.
enum class Mode { leq, less, geq, greater, equal, notEqual, member, leaf };

struct Forest {
  llvm::SmallVector<Mode> modes;
  Integers features, yes, no, roots;
  llvm::SmallVector<double> splits;
  llvm::SmallVector<bool> missingIsYes;
  /// Of nodes that ask for members of a set, by number, which are in it.
  llvm::DenseMap<int64_t, llvm::SmallVector<double>> sets;
  /// Of each node what it gives to each target, and whether it gives any.
  int64_t targets = 1;
  llvm::SmallVector<double> weights;
  llvm::SmallVector<bool> isGiven;

  int64_t size() const { return static_cast<int64_t>(modes.size()); }

  int64_t add(Mode mode) {
    modes.push_back(mode);
    features.push_back(0);
    yes.push_back(size() - 1);
    no.push_back(size() - 1);
    splits.push_back(0);
    missingIsYes.push_back(false);
    weights.resize(size() * targets, 0);
    isGiven.resize(size() * targets, false);
    return size() - 1;
  }
  void give(int64_t node, int64_t target, double weight) {
    weights[node * targets + target] += weight;
    isGiven[node * targets + target] = true;
  }
};

/// Scores [rows, targets] of x [rows, features]: what the leaves give to which
/// the rows come, put together as `aggregate` says.
mlir::FailureOr<Expr> scoresOf(Node &node, Expr x, const Forest &forest,
                               llvm::StringRef aggregate);

void addEncoderHandlers(Handlers &);
void addLabelHandlers(Handlers &);
void addLinearModelHandlers(Handlers &);
void addSvmHandlers(Handlers &);
void addTreeHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_LEARNED_LEARNED_H
