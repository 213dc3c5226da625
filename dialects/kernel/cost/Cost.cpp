// The cost of products and convolutions.

#include "dialects/kernel/cost/Cost.h"

#include "dialects/kernel/schedule/ConvolutionShape.h"
#include "dialects/kernel/schedule/LineShape.h"
#include "dialects/kernel/schedule/MatmulShape.h"
#include "dialects/kernel/schedule/dot/DotShape.h"
#include "dialects/kernel/schedule/pairing/PairingShape.h"
#include "dialects/kernel/schedule/tiles/TilesShape.h"
#include "dialects/kernel/schedule/winograd/WinogradShape.h"

using namespace mlir;

namespace weir::kernel {

// The relative time of a term of a sum: an instruction for the VNNI layout adds
// four products.
static double dotFactor(bool isVnni) { return isVnni ? 0.5 : 1; }

double cyclesOf(const MatmulShape &shape) {
  double sums = double(shape.batches * shape.rows) * shape.columns;
  double products = productCycles(sums * shape.depth, shape.lanes);
  return std::max(products * dotFactor(shape.isVnni),
                  movingCycles(shape.weights));
}

double cyclesOf(const ConvolutionShape &shape) {
  double results = double(shape.images) * shape.outHeight * shape.outWidth *
                   shape.outChannels;
  return productCycles(results * shape.windowHeight * shape.windowWidth *
                           shape.groupInputs,
                       shape.lanes) *
         dotFactor(shape.isVnni);
}

// Windows of few products take the time that their results, and for dot
// products also x, need to move.
double cyclesOf(const LineShape &shape) {
  double results =
      double(shape.images) * shape.outHeight * shape.outWidth * shape.channels;
  double products = productCycles(results * shape.windowHeight *
                                      shape.windowWidth * shape.inputs,
                                  shape.lanes);
  if (shape.kind == LineKind::interleaved)
    return std::max(products / 2, movingCycles(results * 2));
  double moving =
      movingCycles(results * shape.outElement.getIntOrFloatBitWidth() / 4);
  if (shape.kind == LineKind::dots) {
    int64_t bits = std::max(8u, shape.xElement.getIntOrFloatBitWidth());
    moving =
        std::max(moving, movingCycles(double(shape.xElements) * (bits / 8)));
  }
  return std::max(products, moving);
}

double cyclesOf(const WinogradShape &shape) {
  return productCycles(double(shape.inputTiles) * shape.window.products() *
                           shape.channels * shape.outChannels,
                       shape.lanes);
}

// A step of 32 x 32 x 32 takes 150 ns by six products, 90 by three and 50 by
// one. Vector registers need 512 ns for it.
double cyclesOf(const TilesShape &shape) {
  bool dots = shape.hasDots && !shape.hasTiles;
  double quotient = dots               ? (shape.areBytes ? 0.25 : 0.5)
                    : shape.split == 3 ? 0.3
                    : shape.split == 2 ? 0.18
                                       : 0.1;
  double products = productCycles(shape.products, TilesShape::half);
  return std::max(products * quotient, movingCycles(double(shape.weights)));
}

double cyclesOf(const DotShape &shape) {
  double rows = double(shape.batches) * double(shape.rows);
  double read =
      double(shape.weights) + rows * double(shape.depth) * double(shape.aBytes);
  return streamedProductCycles(
      rows * double(shape.columns) * double(shape.depth), shape.lanes, read);
}

// A third of the multiplications are gone, and the additions instead of them
// begin beside the others.
double cyclesOf(const PairingShape &shape) {
  double products =
      double(shape.rows) * double(shape.columns) * double(shape.depth);
  return std::max(productCycles(products, shape.lanes) * 0.7,
                  movingCycles(double(shape.weights)));
}

// Panels are copied, tested, and scaled.
double pairingPackCycles(int64_t elements) {
  return 3 * movingCycles(4. * double(elements));
}

std::optional<double> cyclesOf(Operation *kernel) {
  std::optional<Algorithm> algorithm = algorithmOf(kernel);
  if (!algorithm)
    return std::nullopt;
  switch (*algorithm) {
#define WEIR_ALGORITHM(name, word)                                             \
  case Algorithm::name:                                                        \
    return cyclesOf(name##Shape::of(kernel, Target::of(kernel)));
#include "dialects/kernel/schedule/Schedules.def"
  }
  llvm_unreachable("no algorithm has another value");
}

} // namespace weir::kernel
