// Chooses how a Winograd convolution is computed: the blocks of input tiles,
// the work items of threads, and the schedules of the matrix products.

#include "passes/cpu/schedule/Winograd.h"

#include "dialects/kernel/cost/Cost.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/loops/ActualSizes.h"
#include "passes/cpu/schedule/Chooser.h"
#include "passes/cpu/schedule/Matmul.h"

using namespace mlir;

namespace weir::cpu {

using kernel::MatmulSchedule;
using kernel::Target;
using kernel::WinogradSchedule;
using kernel::WinogradShape;
using kernel::WinogradShare;

namespace {

class WinogradChooser : Chooser<WinogradSchedule> {
public:
  WinogradChooser(const WinogradShape &shape, const WinogradContext &context,
                  const Target &target, const WinogradSchedule &given,
                  DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target) {}

  WinogradSchedule run() {
    chooseBlock();
    chooseChain();
    chooseProducts();
    return s;
  }

private:
  const WinogradShape &shape;
  const WinogradContext &context;
  const Target &target;

  static constexpr int64_t fewTiles = 14; // of a block, if input tiles are few

  void chooseBlock();
  bool sharesFewTiles() const;
  void chooseChain();
  void chooseProducts();
  DictionaryAttr fixedOfProduct(size_t group) const;
};

// With few input tiles, threads share blocks of fewer of them, and each thread
// reads all panels: if its L2 holds the filter, and there are as many blocks as
// panels. A filter that is computed at run time is rather transformed a panel
// at a time.
bool WinogradChooser::sharesFewTiles() const {
  return shape.filterBytes() <= target.l2 / 2 && !context.mayTransform &&
         EvenSplit(shape.inputTiles, fewTiles).count >= shape.panels();
}

// The transformed tiles of a block, and the sums of a panel, stay in L2.
// Threads share as many blocks as keep several threads busy to the end.
void WinogradChooser::chooseBlock() {
  constexpr int64_t minBlocks = 12;
  int64_t tiles = shape.inputTiles;
  int64_t bytes = 4 * shape.window.sums() * shape.panel + shape.bytesOfTile();
  EvenSplit blocks(tiles, std::max<int64_t>(14, target.l2 / 8 * 5 / bytes));
  bool shared = context.isShared(cyclesOf(shape));
  if (shared && tiles < 112)
    blocks = EvenSplit(tiles, sharesFewTiles() ? fewTiles : tiles);
  else if (shared && blocks.count < minBlocks)
    blocks = EvenSplit(tiles, std::max<int64_t>(28, tiles / minBlocks));
  if (s.share == WinogradShare::panels) // as the user has fixed it
    blocks = EvenSplit(tiles, tiles);
  set(&WinogradSchedule::inputTiles, blocks.most());
  set(&WinogradSchedule::share, !shared ? WinogradShare::none
                                : s.inputTiles >= tiles
                                    ? WinogradShare::panels
                                    : WinogradShare::blocks);
}

// With chains of 16 additions, or 24 for tiles with few products, the errors of
// the transforms dominate. With few registers none remain for partial sums,
// whose spilling took a seventh of the time for 56 x 56 x 64.
void WinogradChooser::chooseChain() {
  int64_t chain = target.sumsFillRegisters()      ? 64
                  : shape.window.products() <= 25 ? 24
                                                  : 16;
  set(&WinogradSchedule::chain, chain);
}

/// The parameters that the user has fixed for the products of a group.
DictionaryAttr WinogradChooser::fixedOfProduct(size_t group) const {
  NamedAttrList own;
  WinogradSchedule::eachProductParameter(
      [&](StringRef name, auto member, auto) {
        StringRef ofProduct = name;
        ofProduct.consume_front("product_");
        if (fixed && fixed.contains(name))
          own.set(ofProduct,
                  kernel::toAttribute(fixed.getContext(), (s.*member)[group]));
      });
  return own.empty() ? DictionaryAttr() : own.getDictionary(fixed.getContext());
}

// Usually a product is within a work item of the convolution, or in a loop. The
// products of one block and one panel may be worth sharing on their own, as
// their weights come from memory.
void WinogradChooser::chooseProducts() {
  MatmulContext origin{context, /*mayPack=*/false, s.chain};
  origin.rowBlocks.reset();
  origin.inFunction = context.inFunction && !context.isDynamic &&
                      s.share != WinogradShare::blocks && shape.isOneStep(s);
  SmallVector<MatmulSchedule> products;
  int64_t block = shape.blockOf(s);
  for (size_t i = 0; i < shape.window.groups.size(); ++i)
    products.push_back(chooseMatmul(shape.productOf(i, block), origin, target,
                                    s.productOf(i), fixedOfProduct(i)));
  WinogradSchedule::eachProductParameter(
      [&](StringRef, auto member, auto ofProduct) {
        auto each = llvm::map_to_vector(
            products, [&](const auto &product) { return product.*ofProduct; });
        set(member, kernel::PerProduct(llvm::ArrayRef(each)).shortened());
      });
}

} // namespace

WinogradContext WinogradContext::of(kernel::WinogradOp op) {
  return {KernelContext::of(op),
          /*mayTransform=*/static_cast<bool>(transformOfFilter(op)),
          !dynamicResults(op->getParentOfType<func::FuncOp>()).empty()};
}

WinogradSchedule chooseWinograd(const WinogradShape &shape,
                                const WinogradContext &context,
                                const Target &target,
                                const WinogradSchedule &given,
                                DictionaryAttr fixed) {
  return WinogradChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
