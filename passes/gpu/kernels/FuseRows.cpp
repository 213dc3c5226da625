// Fuses softmax, normalizations and similar kernels into one launch, with a
// block for each row.
//
// Such a kernel is several loop nests over the same rows, where a row depends
// on the same row of earlier nests only. Each thread has the same elements of
// the row in all nests: in registers or, if these are too few, in memory. All
// threads have the reduced values of the row.

#include "passes/gpu/kernels/Blocks.h"
#include "passes/gpu/kernels/RowEmitter.h"

#include "dialects/kernel/Nests.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// A shorter row is computed by one thread, since most lanes of a warp would be
// idle.
constexpr int64_t ownRow = 8;
// The largest number of a row's elements that a thread keeps in registers; its
// loops are unrolled.
constexpr int64_t maxElements = 8;
constexpr int64_t maxThreads = 1024;
// Longer rows are still computed by a block up to this length, or if so many
// rows keep a GPU busy. Otherwise separate nests use more of the GPU.
constexpr int64_t longestRow = 1 << 16, manyRows = 128;

bool isReduction(utils::IteratorType kind) {
  return kind == utils::IteratorType::reduction;
}

/// Loop nests over the same rows. A nest iterates over rows, or over rows and
/// columns. Each result has an element for each row, or for each row and
/// column.
class RowRun {
public:
  /// Starts a run at a nest that reduces rows.
  static std::optional<RowRun> of(linalg::LinalgOp op) {
    auto kinds = op.getIteratorTypesArray();
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    auto *first = llvm::find(kinds, utils::IteratorType::reduction);
    if (first == kinds.end() ||
        !llvm::all_of(llvm::make_range(first, kinds.end()), isReduction) ||
        llvm::any_of(ranges, [](int64_t size) { return size <= 0; }))
      return std::nullopt;
    RowRun run;
    run.rows.assign(ranges.begin(), ranges.begin() + (first - kinds.begin()));
    run.columns.assign(ranges.begin() + run.rows.size(), ranges.end());
    if (product(run.rows) > INT32_MAX || !run.threads())
      return std::nullopt;
    return run;
  }

  /// Adds the next nest. Returns false if it is not compatible; the run is then
  /// invalid.
  bool add(linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics() || !fits(op))
      return false;
    bool overColumns = op.getNumLoops() > rows.size();
    llvm::SmallDenseSet<Value> writes;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!writes.insert(kernel::baseOf(init.get())).second)
        return false;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<MemRefType>(input->get().getType()) &&
          !read(op, *input, writes.contains(kernel::baseOf(input->get()))))
        return false;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      if (!write(op, init, i, overColumns))
        return false;
    nests.push_back(op);
    return true;
  }

  ArrayRef<linalg::LinalgOp> getNests() const { return nests; }
  bool reduces() const {
    return llvm::any_of(nests, [](linalg::LinalgOp op) {
      return op.getNumReductionLoops() > 0;
    });
  }

  /// Emits the fused kernel.parallel at the last nest, and erases the nests.
  void emit();

private:
  enum class Extent { Row, Column };

  /// The number of threads of a block, or 0 if the rows are too long.
  int64_t threads() const {
    int64_t length = product(columns);
    if (length < ownRow)
      return 1;
    int64_t count = warp;
    while (count < maxThreads && count * maxElements < length)
      count *= 2;
    bool isShared =
        !isLong() || length <= longestRow || product(rows) >= manyRows;
    return isShared ? count : 0;
  }

  /// Whether the row exceeds the registers of the threads.
  bool isLong() const { return product(columns) > maxThreads * maxElements; }

  /// Whether the loops are over the rows, or over the rows and then the
  /// columns.
  bool fits(linalg::LinalgOp op) const {
    SmallVector<int64_t> all(rows);
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    auto kinds = op.getIteratorTypesArray();
    if (llvm::any_of(ArrayRef(kinds).take_front(rows.size()), isReduction))
      return false;
    if (ranges == all)
      return true;
    llvm::append_range(all, columns);
    ArrayRef<utils::IteratorType> inner =
        ArrayRef(kinds).drop_front(rows.size());
    return ranges == all && (llvm::all_of(inner, isReduction) ||
                             llvm::none_of(inner, isReduction));
  }

  /// The extent of the operand, if it is indexed by the loops directly.
  std::optional<Extent> extentOf(linalg::LinalgOp op,
                                 OpOperand &operand) const {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    unsigned count = map.getNumResults();
    for (unsigned i = 0; i < count; ++i)
      if (map.getResult(i) != getAffineDimExpr(i, op.getContext()))
        return std::nullopt;
    if (count == op.getNumLoops() && count > rows.size())
      return Extent::Column;
    if (count == rows.size())
      return Extent::Row;
    return std::nullopt;
  }

  /// Whether each element that a thread reads is its own. `written`: by the
  /// same nest.
  bool read(linalg::LinalgOp op, OpOperand &operand, bool written) {
    Value memory = operand.get(), base = kernel::baseOf(memory);
    std::optional<Extent> extent = extentOf(op, operand);
    if (auto found = held.find(memory); found != held.end())
      return extent == found->second;
    if (touched.contains(base))
      return false;
    bool own = extent == Extent::Column;
    if (written && !own)
      return false;
    auto [position, isNew] = readOwn.insert({base, own});
    position->second &= own;
    return true;
  }

  bool write(linalg::LinalgOp op, OpOperand &init, unsigned number,
             bool overColumns) {
    Value memory = init.get(), base = kernel::baseOf(memory);
    std::optional<Extent> extent = extentOf(op, init);
    if (!extent || (touched.contains(base) && !held.contains(memory)))
      return false;
    bool reduced = op.getNumReductionLoops() > 0;
    bool usesLast = !op.getMatchingBlockArgument(&init).use_empty();
    auto found = held.find(memory);
    if (usesLast && found != held.end() && found->second != *extent)
      return false;
    if (extent == Extent::Row && overColumns) {
      if (!reduced || (threads() > 1 && !combinerOf(op, number)))
        return false;
    } else if (usesLast && extent == Extent::Row && found == held.end()) {
      // A thread could overwrite the element before another one reads it.
      return false;
    }
    // Another thread may still have to read the element.
    auto earlier = readOwn.find(base);
    if (earlier != readOwn.end() && !earlier->second)
      return false;
    held[memory] = *extent;
    touched.insert(base);
    return true;
  }

  /// Whether only these nests use the memory.
  bool isOwn(Value memory) const {
    return memory.getDefiningOp<memref::AllocOp>() &&
           llvm::all_of(memory.getUsers(), [&](Operation *user) {
             return llvm::is_contained(nests, user);
           });
  }

  SmallVector<int64_t> rows, columns;
  SmallVector<linalg::LinalgOp> nests;
  llvm::MapVector<Value, Extent> held; // results of nests
  llvm::SmallDenseSet<Value> touched;  // and their underlying buffers
  // buffers that are read from memory;
  llvm::SmallDenseMap<Value, bool> readOwn;
  // true: each thread reads its own
  // elements only
};

void RowRun::emit() {
  ThreadBuilder b(nests.back().getLoc(), nests.back());
  auto each = [&](Value row, Value thread) {
    RowEmitter emitter(b, rows, columns, threads(), isLong(), row, thread);
    for (linalg::LinalgOp op : nests)
      emitter.emit(op, [&](Value memory) { return isOwn(memory); });
    emitter.finish();
  };
  if (threads() == 1)
    b.workItems(product(rows), [&](Value row) { each(row, Value()); });
  else
    b.blocks(product(rows), threads(), each);
  SmallVector<Operation *> unused;
  for (auto &[memory, extent] : held)
    if (isOwn(memory) && !(isLong() && extent == Extent::Column))
      unused.push_back(memory.getDefiningOp());
  for (linalg::LinalgOp op : nests)
    op->erase();
  for (Operation *op : unused)
    op->erase();
}

/// The longest run that contains nest `number` and begins at `first` or later.
std::optional<RowRun> findRun(ArrayRef<linalg::LinalgOp> nests, size_t first,
                              size_t number, size_t &end) {
  for (; first <= number; ++first) {
    std::optional<RowRun> run = RowRun::of(nests[number]);
    end = first;
    while (run && end < nests.size() && end <= number && run->add(nests[end]))
      ++end;
    if (!run || end <= number)
      continue;
    for (RowRun longer = *run; end < nests.size() && longer.add(nests[end]);
         ++end)
      run = longer;
    return run;
  }
  return std::nullopt;
}

void fuseRowsOf(ArrayRef<linalg::LinalgOp> nests) {
  for (size_t begin = 0, i = 0, end; i < nests.size(); ++i) {
    std::optional<RowRun> run = findRun(nests, begin, i, end);
    if (!run || run->getNests().size() < 2)
      continue;
    run->emit();
    begin = end;
    i = end - 1;
  }
}

} // namespace

void fuseRows(func::FuncOp kernel) {
  SmallVector<SmallVector<linalg::LinalgOp>> lists(1);
  for (Operation &op : kernel.getBody().front())
    if (auto nest = dyn_cast<linalg::LinalgOp>(op))
      lists.back().push_back(nest);
    else if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp>(op))
      lists.emplace_back();
  for (ArrayRef<linalg::LinalgOp> nests : lists)
    fuseRowsOf(nests);
}

} // namespace weir::gpu
