// Products and convolutions over any dimensions.

#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/neural/Windows.h"
#include "compiler/import/tensorflow/proto/xla.pb.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/xla/Xla.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Neural.h"
#include <limits>

using namespace mlir;

namespace weir::tensorflow {
namespace {

int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// Some dimensions of a tensor of `shape`, and their sizes.
Integers sizesOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  Integers sizes;
  for (int64_t dim : dims)
    sizes.push_back(shape[dim]);
  return sizes;
}

/// The dimensions of a tensor that `used` does not name.
Integers othersOf(int64_t rank, ArrayRef<int64_t> used) {
  Integers others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(used, dim))
      others.push_back(dim);
  return others;
}

Integers joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  Integers all(a);
  llvm::append_range(all, b);
  return all;
}

/// The result's element type where it is not the operands'.
void widen(Node &node, Expr &a, Expr &b) {
  Type type = node.typeAttr("preferred_element_type");
  if (!type || !a || !b)
    return;
  a = cast(a, type);
  b = cast(b, type);
}

LogicalResult importDot(Node &node) {
  auto numbers =
      messageAttr<xla::DotDimensionNumbers>(node, "dimension_numbers");
  if (failed(numbers) || failed(wantOperands(node, 2)))
    return failure();
  Expr a = operand(node, 0), b = operand(node, 1);
  Integers batchA(integersOf(numbers->lhs_batch_dimensions())),
      batchB(integersOf(numbers->rhs_batch_dimensions())),
      innerA(integersOf(numbers->lhs_contracting_dimensions())),
      innerB(integersOf(numbers->rhs_contracting_dimensions()));
  widen(node, a, b);
  if (!areDims(joined(batchA, innerA), a.rank()) ||
      !areDims(joined(batchB, innerB), b.rank()) ||
      sizesOf(a.shape(), batchA) != sizesOf(b.shape(), batchB) ||
      sizesOf(a.shape(), innerA) != sizesOf(b.shape(), innerB))
    return node.error() << "its dimensions do not suit " << a.type() << " and "
                        << b.type();
  Integers freeA = othersOf(a.rank(), joined(batchA, innerA)),
           freeB = othersOf(b.rank(), joined(batchB, innerB));
  Integers batch = sizesOf(a.shape(), batchA), rows = sizesOf(a.shape(), freeA),
           columns = sizesOf(b.shape(), freeB),
           inner = sizesOf(a.shape(), innerA);
  Integers result = joined(joined(batch, rows), columns);
  if (!graph::countElements(result))
    return node.error() << "its result is larger than a tensor may be";
  Expr x = reshape(transpose(a, joined(joined(batchA, freeA), innerA)),
                   {productOf(batch), productOf(rows), productOf(inner)});
  Expr y = reshape(transpose(b, joined(joined(batchB, innerB), freeB)),
                   {productOf(batch), productOf(inner), productOf(columns)});
  return give(node, reshape(matmul(x, y), result));
}

/// What a convolution is told by its operands.
struct Extents {
  Integers strides, low, high, inner, dilations;
};

FailureOr<Extents> extentsOf(Node &node, size_t spatial) {
  auto strides = node.integers(2), padding = node.integers(3),
       inner = node.integers(4), dilations = node.integers(5);
  if (failed(strides) || failed(padding) || failed(inner) || failed(dilations))
    return failure();
  if (strides->size() != spatial || inner->size() != spatial ||
      dilations->size() != spatial || padding->size() != 2 * spatial)
    return node.error() << "does not say each of " << spatial << " dimensions";
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  Extents extents{*strides, {}, {}, {}, *dilations};
  for (size_t i = 0; i < spatial; ++i) {
    int64_t low = (*padding)[2 * i], high = (*padding)[2 * i + 1];
    for (int64_t each : {(*strides)[i], (*inner)[i], (*dilations)[i]})
      if (each < 1 || each > most)
        return node.error() << "has a step of " << each;
    if (std::abs(low) > most || std::abs(high) > most)
      return node.error() << "is padded by " << low << " and " << high;
    extents.low.push_back(low);
    extents.high.push_back(high);
    extents.inner.push_back((*inner)[i] - 1);
  }
  return extents;
}

/// Parts of the batch that have results of their own become groups of channels:
/// [parts * n, ..., c] -> [n, ..., parts * c].
Expr partsToGroups(Expr x, int64_t parts) {
  if (parts == 1)
    return x;
  Integers shape(x.shape()), order;
  shape[0] /= parts;
  Integers result(shape);
  result.back() *= parts;
  shape.insert(shape.begin(), parts);
  for (int64_t dim = 1; dim + 1 < static_cast<int64_t>(shape.size()); ++dim)
    order.push_back(dim);
  order.push_back(0);
  order.push_back(static_cast<int64_t>(shape.size()) - 1);
  return reshape(transpose(reshape(x, shape), order), result);
}

LogicalResult importConvolution(Node &node) {
  auto numbers =
      messageAttr<xla::ConvolutionDimensionNumbers>(node, "dimension_numbers");
  if (failed(numbers) || failed(wantOperands(node, 7)))
    return failure();
  Expr x = operand(node, 0), filter = operand(node, 1);
  int64_t spatial = numbers->input_spatial_dimensions_size();
  Integers toInput{numbers->input_batch_dimension()},
      toFilter(integersOf(numbers->kernel_spatial_dimensions())),
      toResult{numbers->output_batch_dimension()};
  llvm::append_range(toInput, numbers->input_spatial_dimensions());
  toInput.push_back(numbers->input_feature_dimension());
  toFilter.push_back(numbers->kernel_input_feature_dimension());
  toFilter.push_back(numbers->kernel_output_feature_dimension());
  llvm::append_range(toResult, numbers->output_spatial_dimensions());
  toResult.push_back(numbers->output_feature_dimension());
  auto rank = static_cast<size_t>(spatial + 2);
  widen(node, x, filter);
  if (x.rank() != spatial + 2 || filter.rank() != x.rank() ||
      toInput.size() != rank || toFilter.size() != rank ||
      toResult.size() != rank || !areDims(toInput, x.rank()) ||
      !areDims(toFilter, x.rank()) || !areDims(toResult, x.rank()))
    return node.error() << "its dimensions do not suit " << x.type() << " and "
                        << filter.type();
  if (spatial < 1 || spatial > 3)
    return node.unsupported("a convolution along " + Twine(spatial) +
                            " dimensions");
  auto extents = extentsOf(node, spatial);
  auto groups = node.integer(6);
  if (failed(extents) || failed(groups))
    return failure();
  int64_t parts = node.intAttr("batch_group_count", 1);
  x = transpose(x, toInput);
  filter = transpose(filter, toFilter);
  if (parts < 1 || *groups < 1 || (parts > 1 && *groups > 1) ||
      x.size(0) % parts || filter.shape().back() % parts)
    return node.error() << "has " << *groups << " groups of channels and "
                        << parts << " of images";
  x = partsToGroups(x, parts);
  // Gaps, and margins that cut; the convolution pads the rest.
  Integers low(rank, 0), high = low, interior = low;
  Windows windows;
  windows.strides = extents->strides;
  windows.dilations = extents->dilations;
  for (int64_t i = 0; i < spatial; ++i) {
    low[i + 1] = std::min<int64_t>(extents->low[i], 0);
    high[i + 1] = std::min<int64_t>(extents->high[i], 0);
    interior[i + 1] = extents->inner[i];
    windows.size.push_back(filter.size(i));
    windows.low.push_back(std::max<int64_t>(extents->low[i], 0));
    windows.high.push_back(std::max<int64_t>(extents->high[i], 0));
    if (filter.size(i) < 1)
      return node.error() << "has a filter of " << filter.type();
  }
  Expr y = convolve(pad(x, low, high, interior), filter, windows,
                    std::max(*groups, parts));
  if (!y)
    return give(node, y);
  Integers order(rank);
  for (size_t i = 0; i < rank; ++i)
    order[toResult[i]] = static_cast<int64_t>(i);
  return give(node, transpose(y, order));
}

LogicalResult importEinsum(Node &node) {
  return handlers().find("Einsum")->second.run(node);
}

} // namespace

void addXlaProductHandlers(Handlers &handlers) {
  for (const char *name : {"XlaDot", "XlaDotV2"})
    handlers[name] = importDot;
  for (const char *name : {"XlaConv", "XlaConvV2"})
    handlers[name] = importConvolution;
  handlers["XlaEinsum"] = importEinsum;
}

} // namespace weir::tensorflow
