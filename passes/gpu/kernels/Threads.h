// Builds the code of a GPU thread that computes one element of a result.

#ifndef WEIR_PASSES_GPU_KERNELS_THREADS_H
#define WEIR_PASSES_GPU_KERNELS_THREADS_H

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::gpu {

/// The number of lanes in a warp.
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

  /// The indices of element `i` of `shape` in row-major order.
  llvm::SmallVector<Value> delinearize(Value i, llvm::ArrayRef<int64_t> shape);

  /// A loop from 0 to `count`. `body` receives the index and the values of the
  /// last iteration, and returns the next values. Returns the last ones.
  llvm::SmallVector<Value>
  loop(int64_t count, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>
           body);
  /// A loop from `first` to `count` by `step`. The number of iterations depends
  /// on the thread, so LLVM does not unroll it.
  void stride(Value first, int64_t count, int64_t step,
              llvm::function_ref<void(Value)> body);

  /// Creates a kernel.parallel of `count` work items. Inside of another loop it
  /// creates a sequential loop.
  void workItems(int64_t count, llvm::function_ref<void(Value)> body);

  /// Creates a kernel.parallel of `count` work items, each for a block of
  /// `threads` threads. `body` receives the work item and the index of the
  /// thread.
  void blocks(int64_t count, int64_t threads,
              llvm::function_ref<void(Value, Value)> body);
  /// A barrier of all threads of the block.
  void barrier();
  /// Allocates memory that the threads of a block share; `alignment` 0 is the
  /// default.
  Value shared(llvm::ArrayRef<int64_t> shape, mlir::Type type,
               int64_t alignment = 0);
  /// The 32-bit `value` of the lane whose number differs in the given bit.
  Value exchange(Value value, int64_t bit);
  Value equals(Value a, int64_t value);
  /// Whether the index is below `size`.
  Value isInside(Value index, int64_t size);
  /// The index, at most `size` - 1.
  Value clamped(Value index, int64_t size);
  Value both(Value x, Value y);
  Value orZero(Value condition, Value x);
  void onlyIf(Value condition, llvm::function_ref<void()> body);

  /// `sum` + a * b, in the type of the sum.
  Value multiplyAdd(Value a, Value b, Value sum);
  /// Zero, the initial sum.
  Value zero(mlir::Type type);
  /// Converts f16 or bf16 to f32.
  Value widened(Value value);
};

/// Applies the epilogue of `op` to the sum of the element at `at`.
mlir::Value finished(ThreadBuilder &b, kernel::KernelOpInterface op,
                     mlir::Value sum, mlir::ValueRange at);
/// Applies the epilogue of `op` to the sum of the element at `at`, and stores
/// the result.
void finish(ThreadBuilder &b, kernel::KernelOpInterface op, mlir::Value sum,
            mlir::ValueRange at);
/// As above for adjacent elements of the last dimension from `at` on. All are
/// computed first, so that one store writes them.
void finishTogether(ThreadBuilder &b, kernel::KernelOpInterface op,
                    llvm::ArrayRef<mlir::Value> sums, mlir::ValueRange at);

/// Makes the product read its right operand before packing, if it is the only
/// user of the pack.
void readUnpacked(kernel::MatmulOp op);

/// Each turns its op into work items; the op stays. Barriers are possible only
/// if `mayUseBarriers`.
void shareMatmul(ThreadBuilder &b, kernel::MatmulOp op, bool mayUseBarriers);
void shareConvolution(ThreadBuilder &b, kernel::ConvolutionOp op,
                      bool mayUseBarriers);
void shareDepthwise(ThreadBuilder &b, kernel::DepthwiseOp op);
void sharePack(ThreadBuilder &b, kernel::PackOp op);
void sharePackFilter(ThreadBuilder &b, kernel::PackFilterOp op);

} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_KERNELS_THREADS_H
