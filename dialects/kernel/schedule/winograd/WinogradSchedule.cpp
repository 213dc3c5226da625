// Checks whether a schedule fits a Winograd convolution.

#include "dialects/kernel/schedule/winograd/WinogradShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(WinogradShare) {
  static constexpr llvm::StringLiteral names[] = {"none", "blocks", "panels"};
  return names;
}

MatmulSchedule WinogradSchedule::productOf(size_t group) const {
  MatmulSchedule product;
  product.chain = chain;
  eachProductParameter([&](StringRef, auto member, auto ofProduct) {
    product.*ofProduct = (this->*member)[group];
  });
  return product;
}

// Each group has its own value, or all have one.
static LogicalResult verifyCounts(Operation *kernel, const WinogradSchedule &s,
                                  size_t groups) {
  LogicalResult result = success();
  WinogradSchedule::eachProductParameter(
      [&](StringRef name, auto member, auto) {
        size_t values = (s.*member).size();
        if (values != 1 && values != groups && succeeded(result))
          result = kernel->emitOpError()
                   << name << " has " << values << " values for " << groups
                   << " groups of products";
      });
  return result;
}

LogicalResult verifyWinograd(Operation *kernel, const WinogradSchedule &s) {
  auto op = cast<WinogradOp>(kernel);
  Target target = Target::of(kernel);
  WinogradShape shape(op, target);
  if (failed(verifyCounts(kernel, s, shape.window.groups.size())))
    return failure();
  if (s.share == WinogradShare::panels && s.inputTiles < shape.inputTiles)
    return op.emitOpError("share is panels, which needs all ")
           << shape.inputTiles << " input tiles in one block, but input_tiles "
           << "is " << s.inputTiles;
  for (size_t i = 0; i < shape.window.groups.size(); ++i) {
    MatmulSchedule product = s.productOf(i);
    if (product.share == MatmulShare::rowBlocks)
      return op.emitOpError("product_share is row_blocks, which products of a "
                            "Winograd convolution do not have");
    if (product.share != MatmulShare::none &&
        (s.share == WinogradShare::blocks || !shape.isOneStep(s)))
      return op.emitOpError("product_share is not none, but share is blocks, "
                            "or there are several blocks or panels");
    if (product.tileColumns > shape.panel)
      return op.emitOpError("tile_columns is ")
             << product.tileColumns << ", more than the " << shape.panel
             << " of a panel";
    if (failed(verifyProduct(kernel, shape.productOf(i, shape.blockOf(s)),
                             product)))
      return failure();
  }
  return success();
}

} // namespace weir::kernel
