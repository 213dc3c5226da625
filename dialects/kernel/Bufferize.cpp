// Kernels on tensors become the same kernels on memrefs.

#include "dialects/kernel/Packed.h"
#include "dialects/kernel/attention/Attention.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace weir::kernel {
namespace {

template <typename OpTy>
struct BufferizeKernel
    : DstBufferizableOpInterfaceExternalModel<BufferizeKernel<OpTy>, OpTy> {
  // The destination is written over, never read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return cast<DestinationStyleOpInterface>(op).isDpsInput(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options) const {
    auto kernel = cast<DestinationStyleOpInterface>(op);
    if (kernel.hasPureBufferSemantics())
      return success();
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(buffers);
    state.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    rewriter.setInsertionPoint(op);
    rewriter.create(state);
    replaceOpWithBufferizedValues(rewriter, op, buffers.back());
    return success();
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<BufferizeKernel<Ops>>(*context), ...);
}

} // namespace

void registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KernelDialect *) {
    attach<AttentionOp, MatmulOp, PackedMatmulOp, PackOp, PackFilterOp,
           ConvolutionOp, CornerOp, DepthwiseOp, PoolOp, TransformFilterOp,
           WinogradOp>(context);
  });
}

} // namespace weir::kernel
