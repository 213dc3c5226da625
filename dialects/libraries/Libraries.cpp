// Which operations libraries should compute.

#include "dialects/libraries/Libraries.h"

#include "dialects/weir/Attributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace weir::libraries {
namespace {

// Operations per second of weir's kernels and of libraries, measured on an H100
// (docs/performance-gpu.md). A launch counts twice for a library, which may
// split the depth.
struct Rates {
  double own, library;
};
constexpr Rates products = {44e12, 50e12}, convolutions = {36e12, 24e12},
                halves = {360e12, 690e12};
constexpr double launchSeconds = 3e-6;

} // namespace

bool isForLibraries(Type element) {
  return element.isF32() || element.isF16() || element.isBF16();
}

std::optional<bool> isForced(Operation *module, StringRef library) {
  GpuAttr gpu = attrs::gpu.of(module);
  SmallVector<StringRef> libraries;
  if (gpu)
    gpu.getLibrary().split(libraries, ',');
  if (llvm::is_contained(libraries, "auto"))
    return false;
  if (llvm::is_contained(libraries, library))
    return true;
  return std::nullopt;
}

bool isWorthCalling(double operations, Type element, bool isConvolution) {
  const Rates &rates = !element.isF32() ? halves
                       : isConvolution  ? convolutions
                                        : products;
  return 2 * launchSeconds + operations / rates.library <
         launchSeconds + operations / rates.own;
}

} // namespace weir::libraries
