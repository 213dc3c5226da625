// Tensor lists made of the rows of a tensor.

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/control/List.h"
#include "compiler/import/tensorflow/shape/Scatters.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {

/// Rows of a tensor in turns: lists hold elements of one shape, so lengths must
/// be equal.
static LogicalResult importSplit(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  if (node.size() != 3 || !isTensor(node, 0, 1) || !isTensor(node, 2, 1))
    return node.error() << "wants a tensor of one dimension or more";
  if (node.traced(2).isBounded())
    return node.unsupported("a list whose number of elements is known only at "
                            "run time");
  auto parts = listedScalars(node, 2);
  if (failed(parts))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  Size length{0, {}}, count{static_cast<int64_t>(parts->size()), {}};
  for (auto [i, part] : llvm::enumerate(*parts)) {
    auto size = sizeFrom(node, part, std::max<int64_t>(sizes[0].bound, 0));
    if (failed(size))
      return failure();
    if (i > 0 && size->isKnown() && length.isKnown() &&
        size->bound != length.bound)
      return node.unsupported("a list of elements of different types");
    auto agreed =
        i ? agreedSize(node, length, *size, "parts") : FailureOr<Size>(*size);
    if (failed(agreed))
      return failure();
    length = *agreed;
  }
  Size all{length.bound * count.bound, {}};
  if (!length.isKnown())
    all.exact = (exactly(b, length) * exactly(b, count)).value;
  if (failed(agreedSize(node, sizes[0], all, "a tensor and all parts of it")))
    return failure();
  List list;
  list.element = node.element(0);
  sizes[0] = length;
  list.shape = elementShape(ArrayRef<Size>(sizes));
  sizes.insert(sizes.begin(), count);
  list.setElements(reshapeBounded(b, node.traced(0), sizes));
  return giveList(node, list);
}

/// A list of its own, as long as the greatest index or an operand says.
static LogicalResult importListScatter(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  bool isCounted = node.op().ends_with("V2");
  if (node.size() != (isCounted ? 4 : 3) || !isTensor(node, 0, 1) ||
      !isTensor(node, 1, 1))
    return node.error() << "wants a tensor of one dimension or more";
  List list;
  list.element = node.element(0);
  list.shape = rowShape(node.traced(0));
  auto said = isCounted ? node.tryConstant(3) : std::nullopt;
  bool isSaid = isCounted && !(said && said->getNumElements() == 1 &&
                               said->getValues<APInt>()[0].isNegative());
  if (isSaid) {
    auto length = lengthAt(node, 3);
    if (failed(length))
      return failure();
    list.length = *length;
  } else if (auto known = node.tryConstant(1)) {
    for (const APInt &index : known->getValues<APInt>()) {
      if (index.getSExtValue() > (int64_t(1) << 40))
        return node.error() << "makes a list of more than "
                            << index.getSExtValue() << " elements";
      list.length.bound = std::max(list.length.bound, index.getSExtValue() + 1);
    }
  } else {
    Traced indices = node.traced(1);
    indices.value = castTo(b, indices.value, b.getI64Type());
    Expr last = masked(b, indices, -1);
    last =
        Expr(b, make<graph::ReduceMaxOp>(b, last.value, ArrayRef<int64_t>{0}));
    auto sizes = sizesFrom(node, (last + number(b, 1)).value);
    if (failed(sizes))
      return failure();
    list.length = sizes->front();
  }
  if (!list.fill(node, std::nullopt))
    return node.error() << "makes a list of " << list.length.bound
                        << " elements";
  Traced rows = node.traced(0);
  if (failed(list.fitRows(node, rows)) || failed(list.scatter(node, 1, rows)))
    return failure();
  return giveList(node, list);
}

static LogicalResult importScatterInto(Node &node) {
  auto *given = dynamic_cast<List *>(node.traced(0).object.get());
  if (node.size() != 3 || !given || !isTensor(node, 1, 1))
    return node.error() << "wants a list and a tensor of one dimension or more";
  List list = *given;
  Traced rows = node.traced(1);
  if (failed(list.fitRows(node, rows)) || failed(list.scatter(node, 2, rows)))
    return failure();
  return giveList(node, list);
}

void addListRowHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::whole};
  };
  add("TensorListSplit", importSplit);
  add("TensorListScatter", importListScatter);
  add("TensorListScatterV2", importListScatter);
  add("TensorListScatterIntoExistingList", importScatterInto);
}

} // namespace weir::tensorflow
