// Adds the run-time sizes of a group's results to its operands.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Neural.h"
#include "dialects/graph/Sizes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_BINDSIZES
#include "passes/fuse/Passes.h.inc"

namespace {

struct BindSizes : impl::BindSizesBase<BindSizes> {
  void runOnOperation() override {
    SmallVector<graph::SymbolOp> symbols;
    SmallVector<graph::GroupOp> groups;
    getOperation()->walk([&](Operation *op) {
      if (auto symbol = dyn_cast<graph::SymbolOp>(op)) {
        symbols.push_back(symbol);
        sizeOf[static_cast<int64_t>(symbol.getNumber())] = symbol.getSize();
      } else if (auto group = dyn_cast<graph::GroupOp>(op)) {
        groups.push_back(group);
      }
    });
    // All groups are analyzed before the first one changes.
    graph::DynamicSizes sizes;
    SmallVector<SmallVector<graph::SizesOfDims>> found;
    SmallVector<int64_t> columns;
    for (graph::GroupOp group : groups) {
      columns.push_back(columnsBetween(group, sizes));
      found.emplace_back();
      for (Value result : group.getResults())
        found.back().push_back(sizes.of(result));
    }
    DominanceInfo dominance(getOperation());
    for (auto [group, results] : llvm::zip_equal(groups, found))
      if (llvm::any_of(results, [](const graph::SizesOfDims &dims) {
            return graph::isDynamic(dims);
          }))
        bind(group, results, dominance);
    for (auto [group, symbol] : llvm::zip_equal(groups, columns))
      if (int64_t number =
              symbol < 0 ? -1 : operandFor(group, symbol, dominance);
          number >= 0)
        attrs::columns.set(group, number);
    for (graph::SymbolOp symbol : symbols)
      symbol.erase();
    getOperation()->walk([](Operation *op) {
      if (!isa<graph::GroupOp>(op))
        attrs::sizes.remove(op);
    });
    for (unsigned i = 0; i < getOperation().getNumArguments(); ++i)
      attrs::sizes.removeFromArgument(getOperation(), i);
  }

private:
  /// The symbolic dimension that is summed between the two products of an
  /// attention, or -1. The importer masks softmax and products along such a
  /// dimension.
  static int64_t columnsBetween(graph::GroupOp group,
                                graph::DynamicSizes &sizes) {
    Block &body = group.getBody().front();
    auto products = body.getOps<graph::MatmulOp>();
    if (body.getOps<graph::SoftmaxOp>().empty() ||
        !llvm::hasNItems(products, 2))
      return -1;
    graph::MatmulOp first = *products.begin();
    graph::SizesOfDims dims = sizes.of(first.getB());
    if (dims.empty())
      return -1;
    const graph::SizeOfDim &dim =
        dims[dims.size() - (first.getTransposeB() ? 2 : 1)];
    return dim.size() == 1 ? dim.front().symbol : -1;
  }

  void bind(graph::GroupOp group, MutableArrayRef<graph::SizesOfDims> results,
            const DominanceInfo &dominance) {
    SmallVector<Attribute> attributes;
    bool isAny = false;
    for (graph::SizesOfDims &dims : results) {
      for (graph::SizeOfDim &dim : dims)
        for (graph::SizeFactor &factor : dim) {
          if (!factor.isDynamic())
            continue;
          factor.symbol = operandFor(group, factor.symbol, dominance);
          isAny |= factor.isDynamic();
        }
      ArrayAttr attribute = graph::sizesAttr(group.getContext(), dims);
      attributes.push_back(attribute ? attribute
                                     : ArrayAttr::get(group.getContext(), {}));
    }
    if (isAny)
      attrs::sizes.set(group, ArrayAttr::get(group.getContext(), attributes));
  }

  /// The index of the operand that holds the size, or -1 if the size is not
  /// computed before the group.
  int64_t operandFor(graph::GroupOp group, int64_t symbol,
                     const DominanceInfo &dominance) {
    Value size = sizeOf.lookup(symbol);
    if (!size || !dominance.properlyDominates(size, group))
      return -1;
    for (auto [i, input] : llvm::enumerate(group.getInputs()))
      if (input == size)
        return static_cast<int64_t>(i);
    group.getInputsMutable().append(size);
    group.getBody().addArgument(size.getType(), group.getLoc());
    return static_cast<int64_t>(group.getInputs().size()) - 1;
  }

  DenseMap<int64_t, Value> sizeOf;
};

} // namespace
} // namespace weir::fuse
