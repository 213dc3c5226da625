// The emitters of kernels, a file each.

#ifndef WEIR_PASSES_CPU_KERNELS_KERNELS_H
#define WEIR_PASSES_CPU_KERNELS_KERNELS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

/// The product that joins the rows of a batch whose right side is one, or `op`.
kernel::MatmulOp joinBatches(Emitter &e, kernel::MatmulOp op);

/// A product by tile registers, or by dot products of the same layout.
void emitTiles(Emitter &e, kernel::MatmulOp op, const kernel::Target &target);

/// The op that packs B for this product alone, just before it; or null.
kernel::PackOp packBefore(kernel::MatmulOp op);

/// A product by inner-product pairing. Gives the packing of B back where each
/// panel is packed just before it is used, and the whole is not needed; else
/// null.
kernel::PackOp emitPairing(Emitter &e, kernel::MatmulOp op,
                           const kernel::Target &target);
/// A convolution by inner-product pairing.
void emitPairing(Emitter &e, kernel::ConvolutionOp op,
                 const kernel::Target &target);
/// Packs the right side of a product by inner-product pairing.
void emitPairingPack(Emitter &e, kernel::PackOp op,
                     const kernel::Target &target);

/// Terms that are summed in one chain of additions: where they are more,
/// several sums are added up. Those of pixels are shorter, as nets have dozens
/// of such products one after the other. Few registers leave none for sums that
/// wait, and each chain costs a tile some 50 cycles: there chains are as long
/// as errors stay below those of ONNX Runtime.
inline int64_t longestChain(const kernel::Target &target,
                            bool ofPixels = false) {
  return target.sumsFillRegisters() ? 128 : ofPixels ? 64 : 96;
}

/// A product by vector code, which has a schedule. With `pack`, which may be
/// null, it packs B itself, a part of a panel at a time.
void emitMatmul(Emitter &e, kernel::MatmulOp op, const kernel::Target &target,
                kernel::PackOp pack);
/// By a right side in the K-major layout.
void emitColumnDots(Emitter &e, kernel::MatmulOp op,
                    const kernel::Target &target);
void emitPack(Emitter &e, kernel::PackOp op, const kernel::Target &target);
void emitPackFilter(Emitter &e, kernel::PackFilterOp op,
                    const kernel::Target &target);
/// Between a padded buffer and elements without gaps.
void emitCorner(Emitter &e, kernel::CornerOp op, const kernel::Target &target);
void emitConvolution(Emitter &e, kernel::ConvolutionOp op,
                     const kernel::Target &target);
/// By tile registers, with a filter in a layout for tiles.
void emitTileConvolution(Emitter &e, kernel::ConvolutionOp op,
                         const kernel::Target &target);
/// By a filter in the K-major layout.
void emitWindowDots(Emitter &e, kernel::ConvolutionOp op,
                    const kernel::Target &target);
void emitDepthwise(Emitter &e, kernel::DepthwiseOp op,
                   const kernel::Target &target);
/// Of weights interleaved by four bytes.
void emitDepthwiseDots(Emitter &e, kernel::DepthwiseOp op,
                       const kernel::Target &target);
void emitPool(Emitter &e, kernel::PoolOp op, const kernel::Target &target);
void emitTransformFilter(Emitter &e, kernel::TransformFilterOp op,
                         const kernel::Target &target);
/// The transform that makes the filter, and nothing else of it, where its own
/// input is still there for the convolution; null where there is none.
kernel::TransformFilterOp transformOfFilter(kernel::WinogradOp op);
/// Transforms panel `j` of the filter, which has `valid` columns, to the one
/// panel of `to`.
void emitTransformPanel(Emitter &e, kernel::TransformFilterOp op, mlir::Value j,
                        int64_t valid, mlir::Value to,
                        const kernel::Target &target);
/// Gives the transform of the filter back where each panel is transformed just
/// before it is used, and the whole is not needed; else null.
kernel::TransformFilterOp emitWinograd(Emitter &e, kernel::WinogradOp op,
                                       const kernel::Target &target);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_KERNELS_H
