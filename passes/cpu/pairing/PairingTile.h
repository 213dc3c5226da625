// The register tiles of a product by inner-product pairing.

#ifndef WEIR_PASSES_CPU_PAIRING_PAIRINGTILE_H
#define WEIR_PASSES_CPU_PAIRING_PAIRINGTILE_H

#include "dialects/kernel/schedule/pairing/PairingShape.h"
#include "passes/cpu/pairing/PairingRows.h"

namespace weir::cpu {

/// Chains and rounds, by indices that the run knows.
struct Chains : kernel::PairingChains {
  Chains(const kernel::PairingChains &chains) : PairingChains(chains) {}
  using PairingChains::beginOf;
  mlir::Value beginOf(Emitter &e, mlir::Value round) const {
    return e.beginOf(parts, e.beginOf(rounds, round));
  }
};

/// A tile of rows by up to two vectors of a panel's columns.
struct PairingTile {
  Emitter &e;
  PairingRows &left;
  mlir::Value b; // panels x lines x columns
  int64_t height, vectors;
  mlir::Value slot; // of the rows
  mlir::Value panel;
  bool reusesLoads; // an element is loaded once for all vectors
  /// Of the groups of terms, and of the terms of rows that are not eligible.
  Chains chains, plainChains;
  /// The spilled partial sums, if the depth is divided, else null: tiles x
  /// panels x sums x lanes.
  mlir::Value spilled;
  int64_t lanes = left.lanes; // of a vector

  /// Called in the loop over groups of terms with the index of the group.
  using Ahead = llvm::function_ref<void(mlir::Value)>;

  /// Adds the rounds from `low` to `high` to the spilled sums, which round 0
  /// initializes.
  void addRounds(mlir::Value low, mlir::Value high, Ahead ahead);

  /// The sums, row after row. With spilled sums it computes only the missing
  /// terms.
  Emitter::Values sums(Ahead ahead);

private:
  using Terms = llvm::function_ref<void(mlir::Value, Emitter::Values &)>;
  struct Spilled; // sums in memory
  mlir::Value weights(mlir::Value line, int64_t v);
  mlir::Value isPanelEligible();
  mlir::Value ofRow(mlir::Value buffer, int64_t i);
  Emitter::Values zeros();
  Emitter::Values begins();
  Emitter::Values sumOf(mlir::Value first, mlir::Value end, Terms terms);
  void addParts(const Chains &chains, mlir::Value first, mlir::Value end,
                Spilled &to, Terms terms);
  void addRounds(const Chains &chains, mlir::Value low, mlir::Value high,
                 Spilled &to, Terms terms);
  Emitter::Values inChains(const Chains &chains, Emitter::Values begin,
                           Terms terms);
  void addGroup(llvm::ArrayRef<mlir::Value> lines, mlir::Value k,
                Emitter::Values &sums);
  void withGroups(Ahead ahead, llvm::function_ref<void(Terms)> body);
  Spilled spilledSums();
  Emitter::Values byPairing(Ahead ahead);
  Emitter::Values ended(Emitter::Values sums);
  Emitter::Values byProducts();
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PAIRING_PAIRINGTILE_H
