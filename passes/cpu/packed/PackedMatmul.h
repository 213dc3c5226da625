// Products with weights of few bits.

#ifndef WEIR_PASSES_CPU_PACKED_PACKEDMATMUL_H
#define WEIR_PASSES_CPU_PACKED_PACKEDMATMUL_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/kernel/Packed.h"

namespace weir::cpu {

void emitPackedMatmul(Emitter &e, kernel::PackedMatmulOp op,
                      const kernel::Target &target);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PACKED_PACKEDMATMUL_H
