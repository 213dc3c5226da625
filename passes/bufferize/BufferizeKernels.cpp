// A kernel's tensors become memory: inputs to read, outputs to write.

#include "passes/bufferize/Passes.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::bufferize {
#define GEN_PASS_DEF_BUFFERIZEKERNELS
#include "passes/bufferize/Passes.h.inc"

namespace {

struct BufferizeKernels : impl::BufferizeKernelsBase<BufferizeKernels> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    takeMemory(kernel);
    bufferization::OneShotBufferizationOptions options;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    options.bufferAlignment = 64;
    // Without this, each tensor.empty is a buffer of its own, and a copy.
    if (failed(eliminateEmptyTensors(kernel, options)) ||
        failed(bufferization::runOneShotBufferize(kernel, options)))
      signalPassFailure();
  }

private:
  static LogicalResult
  eliminateEmptyTensors(func::FuncOp kernel,
                        const bufferization::OneShotBufferizationOptions &o) {
    IRRewriter rewriter(kernel.getContext());
    bufferization::OneShotAnalysisState state(kernel, o);
    if (failed(bufferization::analyzeOp(kernel, state)))
      return failure();
    return bufferization::eliminateEmptyTensors(rewriter, kernel, state);
  }

  /// Replaces the tensors of the signature by memrefs, the results by outputs.
  static void takeMemory(func::FuncOp kernel) {
    MLIRContext *context = kernel.getContext();
    Block &body = kernel.getBody().front();
    OpBuilder b(context);
    // Memory of no elements has one type: upstream's bare pointers refuse
    // strides of zero.
    auto memoryOf = [](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return tensor.getNumElements() == 0
                 ? MemRefType::get({0}, tensor.getElementType())
                 : MemRefType::get(tensor.getShape(), tensor.getElementType());
    };
    b.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments()) {
      Type tensor = argument.getType();
      argument.setType(memoryOf(tensor));
      if (cast<RankedTensorType>(tensor).getNumElements() == 0) {
        argument.replaceAllUsesWith(
            b.create<tensor::EmptyOp>(argument.getLoc(), tensor, ValueRange()));
        continue;
      }
      auto read = b.create<bufferization::ToTensorOp>(
          argument.getLoc(), tensor, argument, /*restrict=*/true,
          /*writable=*/false);
      argument.replaceAllUsesExcept(read, read);
    }
    auto result = cast<func::ReturnOp>(body.getTerminator());
    b.setInsertionPoint(result);
    for (Value value : result.getOperands()) {
      Value output =
          body.addArgument(memoryOf(value.getType()), value.getLoc());
      if (cast<RankedTensorType>(value.getType()).getNumElements() == 0)
        continue;
      auto write = b.create<bufferization::MaterializeInDestinationOp>(
          value.getLoc(), value, output);
      write.setRestrict(true);
      write.setWritable(true);
    }
    b.create<func::ReturnOp>(result.getLoc());
    result.erase();
    kernel.setType(
        FunctionType::get(context, body.getArgumentTypes(), TypeRange()));
    // The plan never gives a kernel an output that is also an input.
    Attribute noalias =
        b.getDictionaryAttr(b.getNamedAttr("llvm.noalias", b.getUnitAttr()));
    kernel.setAllArgAttrs(
        SmallVector<Attribute>(body.getNumArguments(), noalias));
    kernel.setAllResultAttrs(ArrayRef<Attribute>());
  }
};

} // namespace
} // namespace weir::bufferize
