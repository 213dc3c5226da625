// Register tiles of a product of pairs.

#ifndef WEIR_PASSES_CPU_PAIRS_PAIRTILE_H
#define WEIR_PASSES_CPU_PAIRS_PAIRTILE_H

#include "passes/cpu/pairs/PairRows.h"

namespace weir {

/// A tile of rows by up to two vectors of a panel's columns.
struct PairTile {
  static constexpr int64_t lanes = PairRows::lanes;
  /// Terms of a chain of additions: what pairs round more of than products do,
  /// shorter chains make up for.
  static constexpr int64_t chain = 60, chainOfFew = 32, fewTerms = 128;
  /// Most rows: what remains of the registers holds two vectors of each of
  /// three rows of weights, and sums on their way.
  static constexpr int64_t most = 7;
  /// The same where two rows of weights are held at a time, as elements of the
  /// left side are in registers, too.
  static constexpr int64_t mostOfShared = 8;

  Emitter &e;
  PairRows &left;
  mlir::Value b; // panels x lines x columns
  int64_t height, vectors;
  mlir::Value slot; // of the rows
  mlir::Value panel;
  bool sharesLoads; // an element is loaded once for all vectors

  /// The sums, row after row. `ahead` is called in the loop over groups of
  /// terms with the number of the group.
  Emitter::Values sums(llvm::function_ref<void(mlir::Value)> ahead);

private:
  using Terms = llvm::function_ref<void(mlir::Value, Emitter::Values &)>;
  mlir::Value weights(mlir::Value line, int64_t v);
  mlir::Value ofRow(mlir::Value buffer, int64_t i);
  Emitter::Values inChains(int64_t count, int64_t most, Emitter::Values begin,
                           Terms terms);
  void addGroup(llvm::ArrayRef<mlir::Value> lines, mlir::Value k,
                Emitter::Values &sums);
  Emitter::Values byPairs(llvm::function_ref<void(mlir::Value)> ahead);
  Emitter::Values byProducts();
};

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRS_PAIRTILE_H
