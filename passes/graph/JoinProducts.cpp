// Joins products with the same constant matrix into one product with more rows.
//
// Unrolled recurrent networks have such products, one for each step. The joined
// product reads the matrix once.
//
// Rows may be concatenations, as of the input and the state of a step. The
// matrix is then split at the same columns: [x h] W is x Wx + h Wh. A part
// joins if it depends on no result of the products, as inputs do; products of
// the state stay in their steps.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-join-products"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_JOINPRODUCTS
#include "passes/graph/Passes.h.inc"

namespace {

// Fewer products, or products with more rows, gain less than the copies cost.
constexpr size_t minProducts = 4;
constexpr int64_t maxRows = 8;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

int64_t widthOf(Value value) { return typeOf(value).getDimSize(1); }

/// The operands of the concatenation that makes the rows of `value`.
SmallVector<Value> partsOf(Value value) {
  if (auto concat = value.getDefiningOp<graph::ConcatOp>())
    if (concat.getAxis() == 1)
      return SmallVector<Value>(concat.getInputs());
  return {value};
}

bool isCandidate(graph::MatmulOp op) {
  RankedTensorType type = typeOf(op.getA());
  return type.getRank() == 2 && !op.getTransposeA() && !op.getTransposeB() &&
         type.getDimSize(0) <= maxRows && type.getDimSize(0) > 0 &&
         (type.getElementType().isF32() || type.getElementType().isF64()) &&
         op.getB().getDefiningOp<graph::ConstantOp>();
}

/// Products with the same matrix, whose rows have parts of the same widths.
class Products {
public:
  Products(ArrayRef<graph::MatmulOp> members)
      : members(members), b(members.front()),
        loc(this->members.front().getLoc()),
        matrix(this->members.front().getB()) {
    for (graph::MatmulOp member : members)
      parts.push_back(partsOf(member.getA()));
  }

  bool join() {
    findDependents();
    SmallVector<bool> joins;
    for (size_t p = 0; p < parts.front().size(); ++p)
      joins.push_back(llvm::none_of(parts, [&](ArrayRef<Value> of) {
        Operation *op = of[p].getDefiningOp();
        return op && dependents.contains(op);
      }));
    if (!llvm::is_contained(joins, true))
      return false;
    LLVM_DEBUG(llvm::dbgs()
               << "joins " << members.size() << " products at " << loc << "\n");
    SmallVector<Value> joined;
    int64_t first = 0;
    for (auto [p, whether] : llvm::enumerate(joins)) {
      int64_t width = widthOf(parts.front()[p]);
      if (whether)
        joined.push_back(
            b.create<graph::MatmulOp>(loc, rowsOf(p), weights(first, width)));
      first += width;
    }
    for (size_t i = 0; i < members.size(); ++i)
      replace(i, joins, joined);
    return true;
  }

private:
  Block *block() { return members.front()->getBlock(); }

  /// Finds all ops of the block that depend on a member.
  void findDependents() {
    SmallVector<Operation *> work(members.begin(), members.end());
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (!dependents.insert(op).second)
        continue;
      for (Operation *user : op->getUsers())
        if (Operation *here = block()->findAncestorOpInBlock(*user))
          work.push_back(here);
    }
  }

  /// `count` rows of the matrix from row `first` on.
  Value weights(int64_t first, int64_t count) {
    return rowRange(matrix, first, first + count);
  }

  Value rowRange(Value x, int64_t first, int64_t end) {
    RankedTensorType type = typeOf(x);
    if (first == 0 && end == type.getDimSize(0))
      return x;
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
        strides(type.getRank(), 1);
    starts[0] = first;
    limits[0] = end;
    return b.create<graph::SliceOp>(loc, x, starts, limits, strides);
  }

  /// Part `p` of all members, concatenated along the rows.
  Value rowsOf(size_t p) {
    SmallVector<Value> all;
    for (ArrayRef<Value> of : parts)
      all.push_back(of[p]);
    if (Value whole = sourceOf(all))
      return whole;
    return b.create<graph::ConcatOp>(loc, all, 0);
  }

  /// The tensor whose adjacent slices are `all`, with their elements as rows;
  /// or null.
  Value sourceOf(ArrayRef<Value> all) {
    Value source;
    int64_t begin = 0, end = 0;
    for (Value part : all) {
      if (auto reshape = part.getDefiningOp<graph::ReshapeOp>())
        part = reshape.getX();
      auto slice = part.getDefiningOp<graph::SliceOp>();
      if (!slice ||
          (source && (slice.getX() != source || slice.getStarts()[0] != end)))
        return nullptr;
      RankedTensorType type = typeOf(slice.getX());
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (slice.getStrides()[d] != 1 ||
            (d > 0 && (slice.getStarts()[d] != 0 ||
                       slice.getLimits()[d] != type.getDimSize(d))))
          return nullptr;
      if (!source)
        begin = slice.getStarts()[0];
      source = slice.getX();
      end = slice.getLimits()[0];
    }
    RankedTensorType row = typeOf(all.front());
    auto type =
        row.clone({row.getDimSize(0) * int64_t(all.size()), row.getDimSize(1)});
    Value rows = rowRange(source, begin, end);
    if (rows.getType() == type)
      return rows;
    return b.create<graph::ReshapeOp>(loc, type, rows);
  }

  /// Replaces member `i` by the sum of its rows of the joined products and of
  /// the product of its remaining parts.
  void replace(size_t i, ArrayRef<bool> joins, ArrayRef<Value> joined) {
    graph::MatmulOp member = members[i];
    int64_t rows = typeOf(member.getA()).getDimSize(0);
    b.setInsertionPoint(member);
    Value sum;
    SmallVector<Value> rest, matrices;
    int64_t first = 0;
    // The operands are read again, since some may be members that have been
    // replaced.
    for (auto [part, whether] :
         llvm::zip_equal(partsOf(member.getA()), joins)) {
      if (!whether) {
        rest.push_back(part);
        matrices.push_back(weights(first, widthOf(part)));
      }
      first += widthOf(part);
    }
    if (!rest.empty()) {
      Value left = rest.size() == 1
                       ? rest[0]
                       : b.create<graph::ConcatOp>(loc, rest, 1).getResult();
      Value right =
          matrices.size() == 1
              ? matrices[0]
              : b.create<graph::ConcatOp>(loc, matrices, 0).getResult();
      sum = b.create<graph::MatmulOp>(member.getLoc(), left, right);
    }
    for (Value product : joined) {
      Value own = rowRange(product, int64_t(i) * rows, int64_t(i + 1) * rows);
      sum = sum ? b.create<graph::AddOp>(member.getLoc(), sum, own).getResult()
                : own;
    }
    b.replaceOp(member, sum);
  }

  SmallVector<graph::MatmulOp> members;
  IRRewriter b;
  Location loc;
  Value matrix;
  SmallVector<SmallVector<Value>> parts;
  llvm::DenseSet<Operation *> dependents;
};

struct JoinProducts : impl::JoinProductsBase<JoinProducts> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      joinIn(block);
  }

private:
  static void joinIn(Block *block) {
    // The key of a set of products: matrix, number of rows, and widths of the
    // parts.
    using Key = std::pair<Value, SmallVector<int64_t>>;
    std::vector<std::pair<Key, SmallVector<graph::MatmulOp>>> groups;
    for (Operation &op : *block) {
      // The sort below could reorder side effects.
      if (!isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>())
        return;
      auto matmul = dyn_cast<graph::MatmulOp>(op);
      if (!matmul || !isCandidate(matmul))
        continue;
      Key key{matmul.getB(), {typeOf(matmul.getA()).getDimSize(0)}};
      for (Value part : partsOf(matmul.getA()))
        key.second.push_back(widthOf(part));
      auto found = llvm::find_if(
          groups, [&](const auto &group) { return group.first == key; });
      if (found == groups.end())
        found = groups.insert(groups.end(), {key, {}});
      found->second.push_back(matmul);
    }
    bool changed = false;
    for (auto &[key, members] : groups)
      if (members.size() >= minProducts)
        changed |= Products(members).join();
    // A joined product is at its first member, before the definition of some of
    // its operands.
    if (changed)
      sortTopologically(block);
  }
};

} // namespace
} // namespace weir::graph
