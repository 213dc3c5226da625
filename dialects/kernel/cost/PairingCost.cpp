// The costs that decide whether a kernel uses inner-product pairing.

#include "dialects/kernel/cost/PairingCost.h"

#include "llvm/Support/MathExtras.h"

namespace weir::kernel {

double rowOfPanelsCycles(const Target &target, int64_t lanes, double depth,
                         int64_t columns, int64_t width) {
  return double(llvm::divideCeil(columns, width)) * double(width) /
         double(lanes) * depth / double(target.fmaRate);
}

double rowOfPairingCycles(const Target &target, int64_t lanes, double depth,
                          int64_t columns) {
  struct Costs {
    double perTerm, perVector, perElement, perRow;
    double ofLoneVector; // of a panel, in vectors
  };
  // Measured on a Zen 4 and a Zen 5. The latter begins two vectors of
  // multiply-adds a cycle and two of additions, but no more loads.
  constexpr Costs ofOne = {0.7, 6, 0.45, 45, 1};
  constexpr Costs ofTwo = {0.38, 3, 0.31, 14, 1.5};
  const Costs &costs = target.fmaRate > 1 ? ofTwo : ofOne;
  int64_t vectors = llvm::divideCeil(columns, lanes);
  double all =
      double(vectors / 2 * 2) + double(vectors % 2) * costs.ofLoneVector;
  return all * (depth * costs.perTerm + costs.perVector) +
         depth * costs.perElement + costs.perRow;
}

// Measured on a Zen 5.
double scalingCycles(const Target &target, int64_t lanes, double depth,
                     int64_t columns) {
  auto vectors = double(llvm::divideCeil(columns, lanes)) * depth;
  bool isFar = vectors * double(target.vectorBits) / 8 > double(target.l2);
  return vectors * (isFar ? 8 : 5);
}

double transposeCycles(int64_t lanes, double depth, int64_t rows) {
  constexpr double perVector = 28; // half of it alone, the rest among threads
  return double(llvm::divideCeil(rows, lanes)) * depth * perVector;
}

double windowCopyCycles(double depth) { return 0.2 * depth; }

} // namespace weir::kernel
