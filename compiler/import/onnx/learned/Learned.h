// Ops of ai.onnx.ml on numbers.

#ifndef WEIR_COMPILER_IMPORT_ONNX_LEARNED_LEARNED_H
#define WEIR_COMPILER_IMPORT_ONNX_LEARNED_LEARNED_H

#include "compiler/import/onnx/StringTable.h"
#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

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

void addEncoderHandlers(Handlers &);
void addLabelHandlers(Handlers &);
void addLinearModelHandlers(Handlers &);
void addSvmHandlers(Handlers &);
void addTreeHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_LEARNED_LEARNED_H
