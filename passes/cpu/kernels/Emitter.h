// Builds the loops of kernels: indices, vectors with masks, register tiles.

#ifndef WEIR_PASSES_CPU_KERNELS_EMITTER_H
#define WEIR_PASSES_CPU_KERNELS_EMITTER_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Sharing.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/schedule/EvenSplit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::cpu {

struct Emitter : mlir::ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value index(int64_t value);
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value plus(mlir::Value a, int64_t b) { return plus(a, index(b)); }
  mlir::Value times(mlir::Value a, int64_t b);
  mlir::Value dividedBy(mlir::Value a, int64_t b);
  mlir::Value modulo(mlir::Value a, int64_t b);
  mlir::Value smaller(mlir::Value a, mlir::Value b);
  mlir::Value larger(mlir::Value a, mlir::Value b);
  /// Where part `part` of a split begins.
  mlir::Value beginOf(const EvenSplit &parts, mlir::Value part);
  /// How long it is, where it begins at `begin`.
  mlir::Value sizeOf(const EvenSplit &parts, mlir::Value part,
                     mlir::Value begin);

  /// Emits `body` for the number of elements of part `part`: one more in the
  /// first parts of an uneven split.
  void eachSize(const EvenSplit &parts, mlir::Value part,
                llvm::function_ref<void(int64_t)> body);

  /// A vector of `lanes` elements at `indices`, of which only the first `valid`
  /// are read; the others are zero.
  mlir::Value load(mlir::Value buffer, mlir::ValueRange indices, int64_t lanes,
                   int64_t valid);
  /// Stores the first `valid` elements.
  void store(mlir::Value vector, mlir::Value buffer, mlir::ValueRange indices,
             int64_t valid);
  /// Stores zeros to the elements from `first` to before `end` of a run.
  void clear(mlir::Value run, mlir::Value first, mlir::Value end,
             int64_t lanes);
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  mlir::Value zeros(mlir::Type element, int64_t lanes);
  /// `block`, on scalars without effects, on vectors instead: what its
  /// terminator hands on of each part, whose mapping has what the block's
  /// arguments are. The parts take turns at each op, so that none waits for its
  /// own last result. `make` is what an op becomes in a part, by its number, or
  /// null for a clone; it knows of indices, and makes what is loaded at such.
  using MakeVector = llvm::function_ref<mlir::Value(
      mlir::Operation *, mlir::IRMapping &, mlir::Type, size_t)>;
  llvm::SmallVector<Values>
  vectorize(mlir::Block &block, int64_t lanes,
            llvm::MutableArrayRef<mlir::IRMapping> parts,
            MakeVector make = nullptr);
  mlir::Value cloneAs(mlir::Type type, mlir::Operation *op,
                      mlir::IRMapping &mapping);
  /// Converts a scalar or vector to elements of the wider type `element`.
  mlir::Value widen(mlir::Value value, mlir::Type element,
                    bool isUnsigned = false);
  /// a * b + c on vectors.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value sum(mlir::Value a, mlir::Value b);
  /// `lanes` groups of four bytes from `indices` on.
  mlir::Value loadWords(mlir::Value buffer, mlir::ValueRange indices,
                        int64_t lanes);
  /// The four bytes from `indices` on as each word of a vector.
  mlir::Value splatWord(mlir::Value buffer, mlir::ValueRange indices,
                        int64_t lanes);
  /// One step of a register tile's sums, row after row of `vectors` each. `add`
  /// computes each from the sum, `left` of its row and `right` of its vector.
  /// `sumsFillRegisters` is the property of kernel::Target.
  void addOuterProduct(
      llvm::MutableArrayRef<mlir::Value> sums, int64_t vectors,
      bool sumsFillRegisters, llvm::function_ref<mlir::Value(int64_t)> left,
      llvm::function_ref<mlir::Value(int64_t)> right,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)>
          add);
  void prefetch(mlir::Value buffer, mlir::ValueRange indices, int level);
  /// Bytes of a line, and from where what streams from beyond L2 is read to
  /// where it is fetched: on a Zen 5 the best from memory, and within 4 % of
  /// that from L3.
  static constexpr int64_t lineBytes = 64, streamDistance = 4096;

  /// The last two dimensions of a buffer as one.
  mlir::Value joinLast(mlir::Value buffer);
  /// A buffer of a kernel, which begins at a line of the cache. It is part of
  /// the kernel's scratch memory (weir-plan-scratch).
  mlir::Value buffer(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Memory on the stack, of one part where parts run at once.
  mlir::Value stack(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Generates nothing, but keeps LLVM from moving loads and stores across. Of
  /// memory that nothing else sees, loads of one place on both sides may still
  /// become one, and what a stack has may stay in registers; not of `memory`,
  /// which this fence and all others then see.
  void compilerFence(mlir::Value memory = nullptr);

  /// An index that is `value`, which LLVM is not told: addresses that are
  /// computed of it are no constants from others, and have a register each.
  mlir::Value opaque(mlir::Value value);

  void ifElse(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);

  /// A loop that carries values; a loop of one iteration is its body. Emits
  /// nothing where the bounds are known to hold no iteration.
  Values loop(mlir::Value low, mlir::Value high, int64_t step,
              mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  void loop(mlir::Value low, mlir::Value high, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  void loop(int64_t high, llvm::function_ref<void(mlir::Value)> body) {
    loop(index(0), index(high), 1, body);
  }
  /// The same in one loop, over the elements of `shape` from `first` to before
  /// `last` in their order.
  void loops(llvm::ArrayRef<int64_t> shape, mlir::Value first, mlir::Value last,
             llvm::function_ref<void(mlir::ValueRange)> body);
  /// The indices in `shape` of its element number `i`.
  Values indicesOf(mlir::Value i, llvm::ArrayRef<int64_t> shape);

  /// Emits `body` for the work items from its first argument to before its
  /// second: for parts of `count` work items that run at once
  /// (kernel.parallel), or for all.
  void parallel(int64_t count, bool coarse,
                llvm::function_ref<void(mlir::Value, mlir::Value)> body,
                bool rowWise = false);
  /// The same where each work item is one of the kernel's `blocks` of rows.
  void parallelRows(const RowBlocks &blocks,
                    llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// Of the part at hand, whose work items may be given from the last to the
  /// first every other run: whether they are, and then in `first` and `end`
  /// what these are otherwise.
  mlir::Value alternate(mlir::Value &first, mlir::Value &end);
  /// `i`, or where `backward` holds what is as far from the other end.
  mlir::Value mirroredIf(mlir::Value backward, mlir::Value i, mlir::Value first,
                         mlir::Value end);
  /// Sets whether the kernel's work, in cycles of a core, is worth sharing; of
  /// a row-wise group it is anyhow.
  void share(double cycles);
  /// The same as the schedule has it.
  void share(double cycles, bool isShared) { work = cycles, shared = isShared; }
  bool isShared() const { return shared; }
  /// What `share` was told, or 0.
  double cycles() const { return work; }

  /// `count` steps of a sum from 0, `unroll` of them an iteration.
  Values sumLoop(int64_t count, int64_t unroll, Values sums,
                 llvm::function_ref<void(mlir::Value, Values &)> step);
  /// Loops over every index of `shape`.
  void loops(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(mlir::ValueRange)> body);

  static llvm::ArrayRef<int64_t> shape(mlir::Value buffer) {
    return mlir::cast<mlir::MemRefType>(buffer.getType()).getShape();
  }
  static mlir::Type element(mlir::Value buffer) {
    return mlir::getElementTypeOrSelf(buffer.getType());
  }

  /// Of an element in memory.
  static int64_t elementBytes(mlir::Value buffer) {
    return std::max(8u, element(buffer).getIntOrFloatBitWidth()) / 8;
  }
  /// Elements of a line of the cache; i1 takes a byte.
  static int64_t elementsOfLine(mlir::Type element) {
    return lineBytes * 8 / std::max(8u, element.getIntOrFloatBitWidth());
  }

private:
  bool shared = false;
  double work = 0;
  bool contiguous(mlir::Value buffer);
  mlir::Value mask(int64_t lanes, int64_t valid);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_EMITTER_H
