// Chooses how vector code computes a product.

#ifndef WEIR_PASSES_CPU_SCHEDULE_MATMUL_H
#define WEIR_PASSES_CPU_SCHEDULE_MATMUL_H

#include "dialects/kernel/schedule/MatmulShape.h"
#include "passes/cpu/schedule/KernelContext.h"

namespace weir::cpu {

struct MatmulContext : KernelContext {
  /// Whether the product may pack its right side itself: only it reads what a
  /// kernel.pack before it makes.
  bool mayPack;
  /// The additions in one chain.
  int64_t chain;

  static MatmulContext of(kernel::MatmulOp op, const kernel::Target &target);
};

/// Whether the work items of threads are the row blocks of the function. A
/// product that packs its right side itself has no row blocks.
bool isByRowBlocks(const kernel::MatmulShape &shape,
                   const MatmulContext &context,
                   const kernel::MatmulSchedule &schedule);

/// The schedule of a product. `fixed` are parameters that are not chosen; null
/// for none.
kernel::MatmulSchedule chooseMatmul(const kernel::MatmulShape &shape,
                                    const MatmulContext &context,
                                    const kernel::Target &target,
                                    const kernel::MatmulSchedule &given = {},
                                    mlir::DictionaryAttr fixed = {});

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_MATMUL_H
