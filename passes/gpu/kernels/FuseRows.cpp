// Softmax, normalizations and their like: one launch, and one block a row.
//
// Such a kernel is several loop nests over the same rows, each of which needs
// what the last one left of its own row alone. Each thread of a block has the
// same elements of the row in all of them, in registers; what a row is reduced
// to, every thread has.

#include "passes/gpu/kernels/Blocks.h"
#include "passes/gpu/kernels/Nest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// A row below this is one thread's: most lanes of a warp would have nothing.
constexpr int64_t ownRow = 8;
// Elements of a row that a thread has at most: they are unrolled.
constexpr int64_t mostElements = 8;
constexpr int64_t mostThreads = 1024;
// Neighbours that are loaded and stored at once: 16 bytes of f32.
constexpr int64_t wide = 4;

bool isReduction(utils::IteratorType kind) {
  return kind == utils::IteratorType::reduction;
}

Value baseOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Loop nests over the same rows. A nest is over rows alone or over rows and
/// columns; each of its results has an element for each row, or for each row
/// and column.
class RowRun {
public:
  /// The run that a nest that reduces rows begins.
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

  /// Adds the nest that comes next; false where it does not fit, and then the
  /// run is of no more use.
  bool add(linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics() || !fits(op))
      return false;
    bool overColumns = op.getNumLoops() > rows.size();
    llvm::SmallDenseSet<Value> writes;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!writes.insert(baseOf(init.get())).second)
        return false;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<MemRefType>(input->get().getType()) &&
          !read(op, *input, writes.contains(baseOf(input->get()))))
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

  /// Puts the kernel.parts at the last nest's place, and erases them all.
  void emit();

private:
  enum class Extent { Row, Column };

  /// Threads of a block; 0: the rows are too long.
  int64_t threads() const {
    int64_t length = product(columns);
    if (length < ownRow)
      return 1;
    int64_t count = warp;
    while (count * mostElements < length)
      count *= 2;
    return count <= mostThreads ? count : 0;
  }

  /// Whether the loops are the rows', or the rows' and then the columns'.
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

  /// What the operand has an element for, if its indices are just the loops'.
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

  /// Whether a thread has what it reads here. `written`: by the same nest.
  bool read(linalg::LinalgOp op, OpOperand &operand, bool written) {
    Value memory = operand.get(), base = baseOf(memory);
    std::optional<Extent> extent = extentOf(op, operand);
    if (auto found = held.find(memory); found != held.end())
      return extent == found->second;
    if (touched.contains(base))
      return false;
    bool own = extent == Extent::Column;
    if (written && !own)
      return false;
    auto [place, isNew] = readOwn.insert({base, own});
    place->second &= own;
    return true;
  }

  bool write(linalg::LinalgOp op, OpOperand &init, unsigned number,
             bool overColumns) {
    Value memory = init.get(), base = baseOf(memory);
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
      // One thread would store it before another has read it.
      return false;
    }
    // Others' elements that are still to be read.
    auto earlier = readOwn.find(base);
    if (earlier != readOwn.end() && !earlier->second)
      return false;
    held[memory] = *extent;
    touched.insert(base);
    return true;
  }

  /// Whether nothing but the nests needs the memory.
  bool isOwn(Value memory) const {
    return memory.getDefiningOp<memref::AllocOp>() &&
           llvm::all_of(memory.getUsers(), [&](Operation *user) {
             return llvm::is_contained(nests, user);
           });
  }

  SmallVector<int64_t> rows, columns;
  SmallVector<linalg::LinalgOp> nests;
  llvm::MapVector<Value, Extent> held;      // what nests have written
  llvm::SmallDenseSet<Value> touched;       // and its bases
  llvm::SmallDenseMap<Value, bool> readOwn; // bases of what comes from memory:
                                            // whether only a thread's own
};

/// What one thread does for a row.
class RowEmitter {
public:
  RowEmitter(ThreadBuilder &b, ArrayRef<int64_t> rows,
             ArrayRef<int64_t> columns, int64_t threads, Value row,
             Value thread)
      : b(b), threads(threads), thread(thread),
        rowAt(b.delinearize(row, rows)) {
    int64_t length = product(columns);
    // Neighbours by fours, where none is past the end.
    int64_t group = threads > 1 && length % (threads * wide) == 0 ? wide : 1;
    for (int64_t first = 0; first < length; first += threads) {
      int64_t round = first / threads;
      Value element = threads == 1
                          ? b.index(first)
                          : b.plus(b.times(thread, group),
                                   b.index(round / group * group * threads +
                                           round % group));
      Value isInside;
      if (first + threads > length) {
        isInside = b.isInside(element, length);
        element = b.clamped(element, length);
      }
      inside.push_back(isInside);
      at.push_back(rowAt);
      llvm::append_range(at.back(), b.delinearize(element, columns));
    }
  }

  void emit(linalg::LinalgOp op, llvm::function_ref<bool(Value)> isOwn) {
    Nest nest(b, op);
    bool overColumns = op.getNumLoops() > rowAt.size();
    SmallVector<Value> last, before(op.getNumDpsInits());
    SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      bool isSum = overColumns && isRow(op, init);
      // Before any thread stores there: the exchange comes between.
      if (isSum) {
        nest.at.assign(rowAt.begin(), rowAt.end());
        nest.at.resize(nest.ranges.size());
        before[i] = element(nest, init, 0);
      }
      last.push_back(isSum && threads > 1 ? start(combinerOf(op, i))
                                          : before[i]);
    }
    for (size_t j = 0; j < (overColumns ? at.size() : 1); ++j) {
      nest.at = overColumns ? at[j] : rowAt;
      SmallVector<Value> now;
      for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
        bool isUsed = !op.getMatchingBlockArgument(&init).use_empty();
        now.push_back(last[i] || !isUsed ? last[i] : element(nest, init, j));
      }
      auto values = nest.compute(
          now, [&](OpOperand &input) { return element(nest, input, j); });
      for (auto [i, value] : llvm::enumerate(values)) {
        if (!last[i])
          results[i].push_back(value);
        else
          last[i] = inside[j]
                        ? b.create<arith::SelectOp>(inside[j], value, last[i])
                        : value;
      }
    }
    for (unsigned i = 0; i < results.size(); ++i) {
      OpOperand &init = *op.getDpsInitOperand(i);
      if (last[i] && threads > 1)
        last[i] = combine(
            b, combinerOf(op, i), before[i],
            combineBlock(b, combinerOf(op, i), last[i], thread, threads));
      held[init.get()] = last[i] ? SmallVector<Value>{last[i]} : results[i];
      if (isOwn(init.get()))
        continue;
      if (isRow(op, init)) {
        rowResults.insert(init.get());
        continue;
      }
      for (size_t j = 0; j < results[i].size(); ++j) {
        Value value = results[i][j];
        nest.at = at[j];
        onlyIf(inside[j],
               [&] { b.store(value, init.get(), nest.indices(init)); });
      }
    }
  }

  /// Stores what rows are reduced to.
  void finish() {
    if (rowResults.empty())
      return;
    Value first = threads == 1 ? Value() : b.equals(thread, 0);
    onlyIf(first, [&] {
      for (Value memory : rowResults)
        b.store(held[memory][0], memory, rowAt);
    });
  }

private:
  bool isRow(linalg::LinalgOp op, OpOperand &init) {
    return op.getMatchingIndexingMap(&init).getNumResults() == rowAt.size();
  }

  Value start(Operation *combiner) {
    return b.create<arith::ConstantOp>(identityOf(combiner));
  }

  Value element(Nest &nest, OpOperand &operand, size_t j) {
    auto found = held.find(operand.get());
    if (found == held.end())
      return nest.load(operand);
    return found->second[found->second.size() == 1 ? 0 : j];
  }

  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    condition ? b.onlyIf(condition, body) : body();
  }

  ThreadBuilder &b;
  int64_t threads;
  Value thread;
  SmallVector<Value> rowAt;
  SmallVector<SmallVector<Value>> at; // of each of the thread's elements
  SmallVector<Value> inside;          // null: it surely is
  llvm::SmallDenseMap<Value, SmallVector<Value>> held;
  llvm::SetVector<Value> rowResults;
};

void RowRun::emit() {
  ThreadBuilder b(nests.back().getLoc(), nests.back());
  auto each = [&](Value row, Value thread) {
    RowEmitter emitter(b, rows, columns, threads(), row, thread);
    for (linalg::LinalgOp op : nests)
      emitter.emit(op, [&](Value memory) { return isOwn(memory); });
    emitter.finish();
  };
  if (threads() == 1)
    b.grains(product(rows), [&](Value row) { each(row, Value()); });
  else
    b.blocks(product(rows), threads(), each);
  SmallVector<Operation *> unused;
  for (auto &[memory, extent] : held)
    if (isOwn(memory))
      unused.push_back(memory.getDefiningOp());
  for (linalg::LinalgOp op : nests)
    op->erase();
  for (Operation *op : unused)
    op->erase();
}

/// The longest run with nest `number` in it that begins at `first` or later.
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
