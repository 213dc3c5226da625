// The costs that decide whether a kernel uses inner-product pairing.

#ifndef WEIR_DIALECTS_KERNEL_COST_PAIRINGCOST_H
#define WEIR_DIALECTS_KERNEL_COST_PAIRINGCOST_H

#include "dialects/kernel/Target.h"

namespace weir::kernel {

/// Cycles for a row of results in vectors of `lanes`: by products in panels of
/// `width` columns, and by inner-product pairing. The latter includes the test
/// and the scaling of the row.
double rowOfPanelsCycles(const Target &target, int64_t lanes, double depth,
                         int64_t columns, int64_t width);
double rowOfPairingCycles(const Target &target, int64_t lanes, double depth,
                          int64_t columns);

/// Cycles to test and scale a right side, in addition to packing it.
double scalingCycles(const Target &target, int64_t lanes, double depth,
                     int64_t columns);
/// Cycles to transpose a left side.
double transposeCycles(int64_t lanes, double depth, int64_t rows);
/// Cycles to copy a window.
double windowCopyCycles(double depth);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_COST_PAIRINGCOST_H
