// The sizes of a kernel by inner-product pairing that its schedule and its cost
// depend on.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_PAIRING_PAIRINGSHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_PAIRING_PAIRINGSHAPE_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/schedule/EvenSplit.h"

namespace weir::kernel {

/// A product by inner-product pairing. The rows of a convolution are its
/// windows.
struct PairingShape {
  /// Of a kernel that has a pairing schedule.
  PairingShape(KernelOpInterface op, const Target &target);
  static PairingShape of(mlir::Operation *kernel, const Target &target) {
    return PairingShape(mlir::cast<KernelOpInterface>(kernel), target);
  }

  int64_t rows, columns, depth, panels;
  /// Elements of a vector.
  int64_t lanes;
  /// Operands of the epilogue.
  int64_t extras;
  /// Bytes of the packed weights.
  int64_t weights;
};

/// Blocked summation: a long sum is divided into chains of additions, and these
/// into rounds, whose chains are summed first. Rounding errors grow with the
/// length of each.
struct PairingChains {
  EvenSplit parts, rounds; // of the items, of the chains
  /// Divides `count` items into chains of about `most`, and these into rounds
  /// of about `ofRound`.
  PairingChains(int64_t count, int64_t most, int64_t ofRound);
  /// Of the groups of terms of all of the depth.
  static PairingChains of(const PairingShape &shape,
                          const PairingSchedule &schedule);
  /// The first item of round `round`.
  int64_t beginOf(int64_t round) const {
    return parts.beginOf(rounds.beginOf(round));
  }
};

/// The loops that follow from a shape and a schedule.
struct PairingSplits {
  PairingSplits(const PairingShape &shape, const PairingSchedule &schedule);

  EvenSplit tiles; // of rows
  EvenSplit slabs; // of tiles, which are multiplied by all panels in turn
  PairingChains chains;
  EvenSplit depths; // of the rounds of chains

  /// The number of groups of terms in the largest part of the depth.
  int64_t maxGroups() const;
  /// Bytes of the partial sums of a slab that wait between parts of the depth.
  int64_t spilledBytes(const PairingShape &shape) const;
  /// The lines of the next panel that a tile fetches for one part of the depth,
  /// and for one group of terms.
  int64_t linesOfTile() const;
  int64_t linesOfGroup() const;
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_PAIRING_PAIRINGSHAPE_H
