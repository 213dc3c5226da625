// What a thread of the GPU does for one element of a result.

#ifndef WEIR_PASSES_GPU_KERNELS_THREADS_H
#define WEIR_PASSES_GPU_KERNELS_THREADS_H

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::gpu {

/// The threads that a processor runs together: lanes, which exchange values.
inline constexpr int64_t warp = 32;

/// Builds index arithmetic and loops.
class ThreadBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Value = mlir::Value;

  Value index(int64_t value);
  Value plus(Value a, Value b);
  Value times(Value a, int64_t factor);
  Value dividedBy(Value a, int64_t divisor);
  Value modulo(Value a, int64_t divisor);
  Value load(Value memory, mlir::ValueRange at);
  void store(Value value, Value memory, mlir::ValueRange at);

  /// The indices of element number `i` of `shape`, the last the fastest.
  llvm::SmallVector<Value> delinearize(Value i, llvm::ArrayRef<int64_t> shape);

  /// For each from 0 to before `count`: `body` takes the index and what the
  /// last round gave, and gives as much. Answers what the last gave.
  llvm::SmallVector<Value>
  loop(int64_t count, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>
           body);
  /// For `first` and each `step` further before `count`. How often that is
  /// depends on the thread, so that LLVM does not take the rounds apart.
  void stride(Value first, int64_t count, int64_t step,
              llvm::function_ref<void(Value)> body);

  /// kernel.parts of `count` grains, each of which `body` computes. Inside
  /// another loop it is a loop over them.
  void grains(int64_t count, llvm::function_ref<void(Value)> body);

  /// kernel.parts of `count` grains, each of which a block of `threads` threads
  /// computes; `body` takes the grain and the thread's number.
  void blocks(int64_t count, int64_t threads,
              llvm::function_ref<void(Value, Value)> body);
  /// Where all threads of the block wait for each other.
  void meet();
  /// Memory that the threads of a block share; `alignment` 0: as any is.
  Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type type,
               int64_t alignment = 0);
  /// The `value`, of 32 bits, of the lane whose number differs in that bit.
  Value exchange(Value value, int64_t bit);
  Value equals(Value a, int64_t value);
  /// Whether the index is one of `size` elements.
  Value isInside(Value index, int64_t size);
  /// The index, or that of the last of `size` elements.
  Value clamped(Value index, int64_t size);
  Value both(Value x, Value y);
  Value orZero(Value condition, Value x);
  void onlyIf(Value condition, llvm::function_ref<void()> body);

  /// `sum` + a * b, in the sum's type.
  Value multiplyAdd(Value a, Value b, Value sum);
  /// The sum before any is added.
  Value zero(mlir::Type type);
  /// A value of a half type as f32.
  Value widened(Value value);
};

/// What the epilogue of `op` makes of the sum of the element at `at`.
mlir::Value finished(ThreadBuilder &b, kernel::KernelOpInterface op,
                     mlir::Value sum, mlir::ValueRange at);
/// Applies the epilogue of `op` to the sum of the element at `at`, and stores
/// what it yields.
void finish(ThreadBuilder &b, kernel::KernelOpInterface op, mlir::Value sum,
            mlir::ValueRange at);
/// The same for sums of neighbours along the last dimension, the first at `at`:
/// all are computed before any is stored, so that they are stored at once.
void finishTogether(ThreadBuilder &b, kernel::KernelOpInterface op,
                    llvm::ArrayRef<mlir::Value> sums, mlir::ValueRange at);

/// Has the product read its right side where it lies, if this packs it for the
/// product alone.
void readUnpacked(kernel::MatmulOp op);

/// Each becomes grains; the op stays. Only where `meets` may threads wait for
/// each other.
void shareMatmul(ThreadBuilder &b, kernel::MatmulOp op, bool meets);
void shareConvolution(ThreadBuilder &b, kernel::ConvolutionOp op, bool meets);
void shareDepthwise(ThreadBuilder &b, kernel::DepthwiseOp op);
void sharePack(ThreadBuilder &b, kernel::PackOp op);
void sharePackFilter(ThreadBuilder &b, kernel::PackFilterOp op);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_THREADS_H
