// The parameters of #kernel.pairing_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_PAIRING_PAIRINGSCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_PAIRING_PAIRINGSCHEDULE_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::kernel {

/// The work items that threads share.
enum class PairingShare { none, slabs, tiles, panels };
/// When a tile fetches its part of the next panel.
enum class PairingPrefetch { none, tile, group };

llvm::ArrayRef<llvm::StringLiteral> namesOf(PairingShare);
llvm::ArrayRef<llvm::StringLiteral> namesOf(PairingPrefetch);

/// How a kernel by inner-product pairing is computed. The attribute's
/// description explains each parameter and its unit.
struct PairingSchedule : Parameters<PairingSchedule> {
  int64_t tileRows = 1;
  bool reuseLoads = false;
  int64_t chain = 84, plainChain = 84, roundChains = 6;
  int64_t rowSlabs = 1, depthParts = 1;
  bool packInside = false;
  PairingShare share = PairingShare::none;
  PairingPrefetch prefetch = PairingPrefetch::none;
  int64_t prefetchLevel = 2;
  bool prefetchResult = false;

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("tile_rows", &PairingSchedule::tileRows);
    visit("reuse_loads", &PairingSchedule::reuseLoads);
    visit("chain", &PairingSchedule::chain);
    visit("plain_chain", &PairingSchedule::plainChain);
    visit("round_chains", &PairingSchedule::roundChains);
    visit("row_slabs", &PairingSchedule::rowSlabs);
    visit("depth_parts", &PairingSchedule::depthParts);
    visit("pack_inside", &PairingSchedule::packInside);
    visit("share", &PairingSchedule::share);
    visit("prefetch", &PairingSchedule::prefetch);
    visit("prefetch_level", &PairingSchedule::prefetchLevel);
    visit("prefetch_result", &PairingSchedule::prefetchResult);
  }
};

/// Emits an error if `kernel` is no kernel that this schedule fits.
mlir::LogicalResult verifyPairing(mlir::Operation *kernel,
                                  const PairingSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_PAIRING_PAIRINGSCHEDULE_H
