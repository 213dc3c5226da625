// Finds weights whose columns ranks can divide: those of attention and of pairs
// of products.

#include "passes/shard/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/shard/Shardings.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-divide-layers"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_DIVIDELAYERS
#include "passes/shard/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The constant or the variable that the right side of a product is; else null.
Operation *weightOf(graph::MatmulOp product) {
  Operation *maker = product.getB().getDefiningOp();
  if (shapeOf(product.getB()).size() != 2)
    return nullptr;
  if (isa_and_nonnull<graph::ConstantOp>(maker))
    return maker;
  if (auto read = dyn_cast_or_null<graph::ReadVariableOp>(maker))
    return SymbolTable::lookupNearestSymbolFrom(read, read.getVariableAttr());
  return nullptr;
}

/// The products whose columns a value has, as they are or as heads.
struct Columns {
  llvm::SmallSetVector<Operation *, 4> products;
  bool areHeads = false;
};

/// Follows the columns of products through a function.
class Search {
public:
  Search(MeshAttr mesh, int64_t axis) : mesh(mesh), axis(axis) {}

  void run(func::FuncOp function) {
    for (Operation &op : function.getBody().front())
      visit(op);
    for (Operation *op : chosen)
      divide(cast<graph::MatmulOp>(op));
  }

private:
  void visit(Operation &op) {
    if (auto product = dyn_cast<graph::MatmulOp>(op))
      visitProduct(product);
    else if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
      visitReshape(reshape);
    else if (isa<graph::TransposeOp>(op))
      copyHeads(op);
    else if (isa<graph::ScalarOpInterface>(op))
      join(op);
  }

  void visitProduct(graph::MatmulOp product) {
    const Columns *a = find(product.getA()), *b = find(product.getB());
    if (a && b && a->areHeads && b->areHeads) {
      choose(*a);
      choose(*b);
      return;
    }
    // Scores of heads, which softmax has changed, times values.
    if (b && b->areHeads)
      return choose(*b);
    if (!weightOf(product))
      return;
    if (a && !a->areHeads && !product.getTransposeA())
      return choose(*a);
    columns[product].products.insert(product);
  }

  /// Heads are parts of the last dimension.
  void visitReshape(graph::ReshapeOp op) {
    const Columns *x = find(op.getX());
    ArrayRef<int64_t> from = shapeOf(op.getX()), to = shapeOf(op.getResult());
    if (!x || from.empty() || to.empty())
      return;
    Columns result = *x;
    bool splits = to.size() > 1 && to.back() * to[to.size() - 2] == from.back();
    if (!x->areHeads && splits)
      result.areHeads = true;
    else if (x->areHeads || to.back() != from.back())
      return;
    columns[op] = std::move(result);
  }

  void copyHeads(Operation &op) {
    if (const Columns *x = find(op.getOperand(0)); x && x->areHeads) {
      Columns copy = *x;
      columns[op.getResult(0)] = std::move(copy);
    }
  }

  /// An elementwise op of columns, and of values that all rows have in common.
  void join(Operation &op) {
    Columns joined;
    bool isFirst = true;
    for (Value operand : op.getOperands()) {
      if (const Columns *x = find(operand)) {
        if (!isFirst && x->areHeads != joined.areHeads)
          return;
        joined.areHeads = x->areHeads;
        isFirst = false;
        joined.products.insert(x->products.begin(), x->products.end());
      } else if (!operand.getDefiningOp<graph::BroadcastOp>() &&
                 !operand.getDefiningOp<graph::ConstantOp>()) {
        return;
      }
    }
    if (!isFirst)
      columns[op.getResult(0)] = std::move(joined);
  }

  const Columns *find(Value value) const {
    auto found = columns.find(value);
    return found == columns.end() ? nullptr : &found->second;
  }

  void choose(const Columns &of) {
    chosen.insert(of.products.begin(), of.products.end());
  }

  void divide(graph::MatmulOp product) {
    Operation *weight = weightOf(product);
    Sharding sharding = {0, 0};
    sharding[product.getTransposeB() ? 0 : 1] = axis;
    if (attrs::shards.isOn(weight) ||
        !canDivide(mesh, product.getB().getType(), sharding))
      return;
    LLVM_DEBUG(llvm::dbgs()
               << "divides columns at " << product.getLoc() << "\n");
    attrs::shards.set(weight, ArrayRef<int64_t>(sharding));
  }

  MeshAttr mesh;
  int64_t axis;
  DenseMap<Value, Columns> columns;
  llvm::SetVector<Operation *> chosen;
};

struct DivideLayers : impl::DivideLayersBase<DivideLayers> {
  void runOnOperation() override {
    MeshAttr mesh = MeshAttr::of(getOperation());
    StringAttr axis = attrs::parallelLayers.of(getOperation());
    if (!mesh || !axis)
      return;
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (attrs::entry.isOn(entry) && !attrs::init.isOn(entry))
        Search(mesh, bitOf(mesh, axis)).run(entry);
  }
};

} // namespace
} // namespace weir::shard
