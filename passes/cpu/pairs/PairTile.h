// Register tiles of a product of pairs.

#ifndef WEIR_PASSES_CPU_PAIRS_PAIRTILE_H
#define WEIR_PASSES_CPU_PAIRS_PAIRTILE_H

#include "passes/cpu/pairs/PairRows.h"

namespace weir {

/// How long sums are split: into chains of additions, and these into rounds, of
/// each of which the chains are added up first. Errors grow with the length of
/// each.
struct Chains {
  EvenSplit parts, rounds; // of what is added up, of parts
  /// Of `count` things, about `most` a chain.
  Chains(int64_t count, int64_t most);
  /// The thing with which round `round` begins.
  int64_t beginOf(int64_t round) const {
    return parts.beginOf(rounds.beginOf(round));
  }
  mlir::Value beginOf(Emitter &e, mlir::Value round) const {
    return e.beginOf(parts, e.beginOf(rounds, round));
  }
};

/// A tile of rows by up to two vectors of a panel's columns.
struct PairTile {
  /// Terms of a chain of additions: what pairs round more of than products do,
  /// shorter chains make up for. So they do for what has more of them, and for
  /// few terms, which take little time.
  static constexpr int64_t chain = 84, chainOfMany = 60, chainOfFew = 32;
  static constexpr int64_t manyTerms = 2048, fewTerms = 128;
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
  /// Where sums wait when not all of the depth is added up at once, or null:
  /// tiles x panels x sums x lanes.
  mlir::Value waits;
  int64_t lanes = left.lanes; // of a vector

  /// Called in the loop over groups of terms with the number of the group.
  using Ahead = llvm::function_ref<void(mlir::Value)>;

  /// Of the groups of terms of rows of `depth` elements.
  static Chains chainsOf(int64_t depth);

  /// Adds the rounds of chains from `low` to `high` to what waits, which the
  /// first begins.
  void addRounds(mlir::Value low, mlir::Value high, Ahead ahead);

  /// The sums, row after row: all, or where they wait what is still missing.
  Emitter::Values sums(Ahead ahead);

private:
  using Terms = llvm::function_ref<void(mlir::Value, Emitter::Values &)>;
  struct Waiting; // sums in memory
  mlir::Value weights(mlir::Value line, int64_t v);
  mlir::Value panelFits();
  mlir::Value ofRow(mlir::Value buffer, int64_t i);
  Emitter::Values zeros();
  Emitter::Values begins();
  Emitter::Values sumOf(mlir::Value first, mlir::Value end, Terms terms);
  void addParts(const Chains &chains, mlir::Value first, mlir::Value end,
                Waiting &to, Terms terms);
  void addRounds(const Chains &chains, mlir::Value low, mlir::Value high,
                 Waiting &to, Terms terms);
  Emitter::Values inChains(const Chains &chains, Emitter::Values begin,
                           Terms terms);
  void addGroup(llvm::ArrayRef<mlir::Value> lines, mlir::Value k,
                Emitter::Values &sums);
  void withGroups(Ahead ahead, llvm::function_ref<void(Terms)> body);
  Waiting waiting();
  Emitter::Values byPairs(Ahead ahead);
  Emitter::Values ended(Emitter::Values sums);
  Emitter::Values byProducts();
};

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRS_PAIRTILE_H
