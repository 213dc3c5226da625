// Tensor arrays of the first version. A handle and the flow both stand for the
// array; the flow, which every write gives anew, holds the elements.

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/control/GrowingArray.h"
#include "compiler/import/tensorflow/control/ListMoves.h"
#include "compiler/import/tensorflow/shape/IndexNodes.h"
#include "compiler/import/tensorflow/shape/Scatters.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using ::tensorflow::AttrValue;

namespace weir::tensorflow {

namespace {
/// Writes behind the end make a growing array at most this long.
constexpr int64_t growthLimit = 65536;
} // namespace

/// The shape that an attribute says; an error where it is no valid one.
static FailureOr<ElementShape> shapeAttr(Node &node) {
  const AttrValue *shape = node.attr("element_shape", "a shape");
  if (!shape)
    return ElementShape();
  FailureOr<std::optional<SmallVector<int64_t>>> read = shapeOf(shape->shape());
  if (failed(read))
    return node.error() << "has no valid element shape";
  return *read ? elementShape(ArrayRef<int64_t>(**read)) : ElementShape();
}

static LogicalResult importArray(Node &node) {
  if (auto known = node.tryConstant(0);
      known && known->getNumElements() == 1 &&
      isa<IntegerType>(known->getElementType()) &&
      known->getValues<APInt>()[0].isNegative())
    return node.error() << "has " << known->getValues<APInt>()[0].getSExtValue()
                        << " elements";
  auto length = lengthAt(node, 0);
  auto shape = shapeAttr(node);
  if (failed(length) || failed(shape))
    return failure();
  auto list = std::make_shared<List>();
  list->length = *length;
  list->element = node.typeAttr("dtype");
  list->grows = node.boolAttr("dynamic_size");
  list->shape = *shape;
  return node.tracedResults({{{}, {}, list}, {{}, {}, list}});
}

/// The array that operand `i`, the flow, holds; checks how many operands there
/// are.
static FailureOr<List> flowOf(Node &node, unsigned i) {
  if (node.size() != i + 1)
    return node.error() << "has " << node.size() << " operands instead of "
                        << i + 1;
  if (growingArrayOf(node, i))
    return node.unsupported("an array that grows as it runs");
  auto *list = dynamic_cast<List *>(node.traced(i).object.get());
  if (!list)
    return node.error() << "operand " << i << " is no tensor array's flow";
  return *list;
}

static LogicalResult giveFlow(Node &node, const List &list) {
  return node.tracedResults({{{}, {}, std::make_shared<List>(list)}});
}

static LogicalResult checkIndex(Node &node, unsigned i) {
  if (!isTensor(node, i) || node.rank(i) != 0 || !node.element(i).isInteger(32))
    return node.error() << "operand " << i << " is no index";
  return success();
}

/// Makes room for an element at `index`.
static LogicalResult growTo(Node &node, List &list, int64_t index) {
  if (index >= 0 && index < list.length.bound)
    return success();
  if (!list.grows || index < 0)
    return node.error() << "index " << index << " is none of "
                        << list.length.bound << " elements";
  if (!list.length.isKnown())
    return node.unsupported("an array that grows as it runs");
  if (index >= growthLimit)
    return node.unsupported("an array that grows beyond " + Twine(growthLimit) +
                            " elements");
  list.resize(node.b, {index + 1, {}});
  return success();
}

/// Whether the array's length, or that of its elements, is for the run to say.
static bool growsAsItRuns(Node &node) {
  if (growingArrayOf(node, 3))
    return true;
  auto *list = dynamic_cast<List *>(node.traced(3).object.get());
  return list && list->grows && list->length == Size{} && !list->isFilled() &&
         (node.traced(2).isBounded() ||
          (!node.tryConstant(1) && node.rank(2) > 0));
}

static LogicalResult importWrite(Node &node) {
  bool isElement = node.size() == 4 && isTensor(node, 2);
  if (isElement && failed(checkIndex(node, 1)))
    return failure();
  if (isElement && growsAsItRuns(node))
    return writeGrowing(node);
  FailureOr<List> list = flowOf(node, 3);
  if (failed(list))
    return failure();
  if (!isElement)
    return node.unsupported("an element that is no tensor");
  Traced item = node.traced(2);
  bool isDynamic = !node.tryConstant(1);
  if (isDynamic && list->grows)
    return node.unsupported("an array that grows as it runs");
  if (failed(list->fit(node, item)))
    return failure();
  if (auto known = node.tryConstant(1))
    if (failed(
            growTo(node, *list, known->getSplatValue<APInt>().getSExtValue())))
      return failure();
  if (failed(list->checkIndex(node, 1)))
    return failure();
  list->set(node.b, node.operand(1), item);
  return giveFlow(node, *list);
}

static LogicalResult importRead(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 2))
    return failed(checkIndex(node, 1)) ? failure() : readGrowing(node, *array);
  FailureOr<List> list = flowOf(node, 2);
  if (failed(list) || failed(checkIndex(node, 1)))
    return failure();
  if (!list->fill(node, std::nullopt))
    return node.unsupported("an array whose elements have no known shape");
  if (failed(list->checkIndex(node, 1)))
    return failure();
  return node.tracedResults({list->get(node.b, node.operand(1))});
}

static LogicalResult checkIndices(Node &node, unsigned i) {
  if (!isTensor(node, i) || node.rank(i) != 1 || !node.element(i).isInteger(32))
    return node.error() << "operand " << i << " is no list of indices";
  return success();
}

static LogicalResult importArrayGather(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 2))
    return failed(checkIndices(node, 1)) ? failure()
                                         : gatherGrowing(node, *array);
  FailureOr<List> list = flowOf(node, 2);
  if (failed(list) || failed(checkIndices(node, 1)))
    return failure();
  auto shape = shapeAttr(node);
  if (failed(shape))
    return failure();
  if (!list->fill(node, *shape))
    return node.unsupported("an array whose elements have no known shape");
  auto gathered = list->gather(node, 1);
  return failed(gathered) ? failure() : node.tracedResults({*gathered});
}

static LogicalResult importArrayScatter(Node &node) {
  FailureOr<List> list = flowOf(node, 3);
  if (failed(list) || failed(checkIndices(node, 1)))
    return failure();
  if (!isTensor(node, 2, 1))
    return node.error() << "wants an element for each index";
  Traced rows = node.traced(2);
  Size count = sizesOf(rows)[0];
  // An array that grows is as long as what is scattered in order.
  if (list->grows && list->length == Size{} && areAll(node, 1, count)) {
    list->element = node.element(2);
    list->setElements(rows);
    return giveFlow(node, *list);
  }
  if (list->grows) {
    FailureOr<SmallVector<int64_t>> indices = node.integers(1);
    if (failed(indices))
      return failure();
    for (int64_t index : *indices)
      if (failed(growTo(node, *list, index)))
        return failure();
  }
  if (failed(list->fitRows(node, rows)) || failed(list->scatter(node, 1, rows)))
    return failure();
  return giveFlow(node, *list);
}

static LogicalResult importSize(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 1))
    return node.result(castTo(node.b, array->count, node.b.getI32Type()));
  FailureOr<List> list = flowOf(node, 1);
  if (failed(list))
    return failure();
  Value length = exactly(node.b, list->length).value;
  return node.result(castTo(node.b, length, node.b.getI32Type()));
}

/// Elements one after the other along their first dimension.
static LogicalResult importConcat(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 1))
    return concatGrowing(node, *array);
  FailureOr<List> list = flowOf(node, 1);
  if (failed(list))
    return failure();
  list->fill(node, std::nullopt);
  auto joined = list->concat(node);
  return failed(joined) ? failure()
                        : node.tracedResults({joined->first, joined->second});
}

static LogicalResult importSplit(Node &node) {
  FailureOr<List> list = flowOf(node, 3);
  if (failed(list))
    return failure();
  if (!isTensor(node, 1, 1) || !isTensor(node, 2, 1) || node.rank(2) != 1 ||
      !node.shape(2)[0] || !isa<IntegerType>(node.element(2)))
    return node.error() << "wants a tensor and the lengths of its parts";
  if (!node.tryConstant(2) || node.traced(2).isBounded())
    return splitGrowing(node);
  FailureOr<SmallVector<int64_t>> lengths = node.integers(2);
  if (failed(lengths))
    return failure();
  int64_t length = lengths->front(), parts = lengths->size();
  if (llvm::any_of(*lengths, [&](int64_t each) { return each != length; }))
    return splitGrowing(node);
  Sizes sizes = sizesOf(node.traced(1));
  int64_t total;
  if (length < 0 || llvm::MulOverflow(length, parts, total) ||
      (sizes[0].isKnown() && sizes[0].bound != total) || sizes[0].bound < total)
    return node.error() << "its lengths are not those of its tensor";
  if (failed(agreedSize(node, sizes[0], Size{total, {}},
                        "a tensor and all parts of it")))
    return failure();
  sizes[0] = {length, {}};
  sizes.insert(sizes.begin(), Size{parts, {}});
  list->element = node.element(1);
  list->setElements(reshapeBounded(node.b, node.traced(1), sizes));
  return giveFlow(node, *list);
}

static LogicalResult importClose(Node &node) { return node.tracedResults({}); }

void addArrayHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::whole};
  };
  add("TensorArrayV3", importArray);
  add("TensorArrayWriteV3", importWrite);
  add("TensorArrayReadV3", importRead);
  add("TensorArrayGatherV3", importArrayGather);
  add("TensorArrayScatterV3", importArrayScatter);
  add("TensorArraySizeV3", importSize);
  add("TensorArrayConcatV3", importConcat);
  add("TensorArraySplitV3", importSplit);
  add("TensorArrayCloseV3", importClose);
}

} // namespace weir::tensorflow
