// Tensor arrays of the first version. A handle and the flow both stand for the
// array; the flow, which every write gives anew, holds the elements.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/GrowingArray.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;
using ::tensorflow::AttrValue;

namespace weir::tensorflow {

namespace {
/// Writes behind the end make a growing array at most this long.
constexpr int64_t growthLimit = 65536;
} // namespace

static LogicalResult importArray(Node &node) {
  FailureOr<int64_t> count = node.integer(0);
  if (failed(count))
    return failure();
  if (*count < 0)
    return node.error() << "has " << *count << " elements";
  auto list = std::make_shared<List>();
  list->count = *count;
  list->element = node.typeAttr("dtype");
  list->grows = node.boolAttr("dynamic_size");
  if (const AttrValue *shape = node.attr("element_shape", "a shape")) {
    auto read = shapeOf(shape->shape());
    if (failed(read))
      return node.error() << "has no valid element shape";
    list->shape = *read;
  }
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
  if (!node.operand(i) || node.rank(i) != 0 ||
      !node.type(i).getElementType().isInteger(32))
    return node.error() << "operand " << i << " is no index";
  return success();
}

/// Makes room for an element at `index`.
static LogicalResult growTo(Node &node, List &list, int64_t index) {
  if (index >= 0 && index < list.count)
    return success();
  if (!list.grows || index < 0)
    return node.error() << "index " << index << " is none of " << list.count
                        << " elements";
  if (index >= growthLimit)
    return node.unsupported("an array that grows beyond " + Twine(growthLimit) +
                            " elements");
  SmallVector<int64_t> more = elementShape(list.tensor);
  more.insert(more.begin(), index + 1 - list.count);
  Value zeros = splat(node.b, typeOf(list.tensor).clone(more), 0);
  list.tensor =
      make<graph::ConcatOp>(node.b, ValueRange{list.tensor, zeros}, 0);
  list.count = index + 1;
  return success();
}

/// Whether the array's length, or that of its elements, is for the run to say.
static bool growsAsItRuns(Node &node) {
  if (growingArrayOf(node, 3))
    return true;
  auto *list = dynamic_cast<List *>(node.traced(3).object.get());
  return list && list->grows && !list->count && !list->tensor &&
         (node.traced(2).isBounded() ||
          (!node.tryConstant(1) && node.rank(2) > 0));
}

static LogicalResult importWrite(Node &node) {
  if (node.size() == 4 && node.operand(2) && succeeded(checkIndex(node, 1)) &&
      growsAsItRuns(node))
    return writeGrowing(node);
  for (unsigned i = 0; i < node.size(); ++i)
    if (node.traced(i).isBounded())
      return node.unsupported("an element of a size known only at run time");
  FailureOr<List> list = flowOf(node, 3);
  if (failed(list) || failed(checkIndex(node, 1)))
    return failure();
  if (!node.operand(2))
    return node.unsupported("an element that is no tensor");
  list->element = node.type(2).getElementType();
  if (!list->fill(node.b, SmallVector<int64_t>(node.shape(2))) ||
      typeOf(list->tensor).getElementType() != list->element ||
      typeOf(list->tensor).getShape().drop_front() != node.shape(2))
    return node.unsupported("an array of elements of different types");
  if (auto known = node.tryConstant(1)) {
    if (failed(
            growTo(node, *list, known->getSplatValue<APInt>().getSExtValue())))
      return failure();
  } else if (list->grows) {
    return node.unsupported("an array that grows as it runs");
  }
  if (!list->count)
    return node.error() << "writes to an array without elements";
  list->set(node.b, node.operand(1), node.operand(2));
  return giveFlow(node, *list);
}

static LogicalResult importRead(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 2))
    return failed(checkIndex(node, 1)) ? failure() : readGrowing(node, *array);
  FailureOr<List> list = flowOf(node, 2);
  if (failed(list) || failed(checkIndex(node, 1)))
    return failure();
  if (!list->fill(node.b, std::nullopt))
    return node.unsupported("an array whose elements have no known shape");
  auto known = node.tryConstant(1);
  int64_t index = known ? known->getSplatValue<APInt>().getSExtValue() : 0;
  if (index < 0 || index >= list->count)
    return node.error() << "index " << index << " is none of " << list->count
                        << " elements";
  return node.result(list->get(node.b, node.operand(1)));
}

/// Whether an operand is 0, 1, ... count - 1.
static bool isWhole(Node &node, unsigned i, int64_t count) {
  auto known = node.tryConstant(i);
  if (!known || known->getNumElements() != count)
    return false;
  int64_t next = 0;
  for (const APInt &index : known->getValues<APInt>())
    if (index.getSExtValue() != next++)
      return false;
  return true;
}

static LogicalResult checkIndices(Node &node, unsigned i) {
  if (!node.operand(i) || node.rank(i) != 1 ||
      !node.type(i).getElementType().isInteger(32))
    return node.error() << "operand " << i << " is no list of indices";
  return success();
}

static LogicalResult importGather(Node &node) {
  FailureOr<List> list = flowOf(node, 2);
  if (failed(list) || failed(checkIndices(node, 1)))
    return failure();
  std::optional<SmallVector<int64_t>> shape;
  if (const AttrValue *said = node.attr("element_shape", "a shape"))
    if (auto read = shapeOf(said->shape()); succeeded(read))
      shape = *read;
  if (!list->fill(node.b, shape))
    return node.unsupported("an array whose elements have no known shape");
  if (isWhole(node, 1, list->count))
    return node.result(list->tensor);
  if (!list->count)
    return node.error() << "gathers from an array without elements";
  return node.result(
      make<graph::GatherOp>(node.b, list->tensor, node.operand(1), 0, 0));
}

static LogicalResult importScatter(Node &node) {
  FailureOr<List> list = flowOf(node, 3);
  if (failed(list) || failed(checkIndices(node, 1)))
    return failure();
  if (!node.operand(2) || node.rank(2) < 1 ||
      node.shape(2)[0] != node.shape(1)[0])
    return node.error() << "wants an element for each index";
  int64_t count = node.shape(2)[0];
  list->element = node.type(2).getElementType();
  if (isWhole(node, 1, std::max(count, list->count)) &&
      (count == list->count || list->grows)) {
    list->tensor = node.operand(2);
    list->count = count;
    return giveFlow(node, *list);
  }
  FailureOr<SmallVector<int64_t>> indices = node.integers(1);
  if (failed(indices))
    return failure();
  if (!list->fill(node.b, elementShape(node.operand(2))) ||
      typeOf(list->tensor).getElementType() != list->element ||
      typeOf(list->tensor).getShape().drop_front() !=
          node.shape(2).drop_front())
    return node.unsupported("an array of elements of different types");
  List from = *list;
  from.tensor = node.operand(2);
  Type i32 = node.b.getI32Type();
  auto scalar = RankedTensorType::get({}, i32);
  for (auto [i, index] : llvm::enumerate(*indices)) {
    if (failed(growTo(node, *list, index)))
      return failure();
    Value item = from.get(node.b, splat(node.b, scalar, i));
    list->set(node.b, splat(node.b, scalar, index), item);
  }
  return giveFlow(node, *list);
}

static LogicalResult importSize(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 1))
    return node.result(castTo(node.b, array->count, node.b.getI32Type()));
  FailureOr<List> list = flowOf(node, 1);
  if (failed(list))
    return failure();
  return node.result(splat(
      node.b, RankedTensorType::get({}, node.b.getI32Type()), list->count));
}

/// Elements one after the other along their first dimension.
static LogicalResult importConcat(Node &node) {
  if (const GrowingArray *array = growingArrayOf(node, 1))
    return concatGrowing(node, *array);
  FailureOr<List> list = flowOf(node, 1);
  if (failed(list))
    return failure();
  if (!list->tensor || typeOf(list->tensor).getRank() < 2)
    return node.unsupported("an array whose elements have no known shape");
  SmallVector<int64_t> shape = elementShape(list->tensor);
  SmallVector<int64_t> lengths(list->count, shape[0]);
  shape[0] *= list->count;
  return node.results({reshapeTo(node.b, list->tensor, shape),
                       numbers(node.b, node.b.getI64Type(), lengths)});
}

static LogicalResult importSplit(Node &node) {
  FailureOr<List> list = flowOf(node, 3);
  if (failed(list))
    return failure();
  if (!node.operand(1) || !node.operand(2) || node.rank(1) < 1 ||
      node.rank(2) != 1 || !node.shape(2)[0] ||
      !isa<IntegerType>(node.type(2).getElementType()))
    return node.error() << "wants a tensor and the lengths of its parts";
  if (!node.tryConstant(2))
    return splitGrowing(node);
  FailureOr<SmallVector<int64_t>> lengths = node.integers(2);
  if (failed(lengths))
    return failure();
  int64_t length = lengths->front();
  if (llvm::any_of(*lengths, [&](int64_t each) { return each != length; }))
    return splitGrowing(node);
  int64_t parts = lengths->size();
  if (length < 0 || node.shape(1)[0] % parts ||
      node.shape(1)[0] / parts != length)
    return node.error() << "its lengths are not those of its tensor";
  SmallVector<int64_t> shape{parts, length};
  shape.append(node.shape(1).begin() + 1, node.shape(1).end());
  list->element = node.type(1).getElementType();
  list->tensor = reshapeTo(node.b, node.operand(1), shape);
  list->count = parts;
  return giveFlow(node, *list);
}

static LogicalResult importClose(Node &node) { return node.tracedResults({}); }

void addArrayHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::anything};
  };
  add("TensorArrayV3", importArray);
  handlers["TensorArrayWriteV3"] = {importWrite, Takes::whole};
  add("TensorArrayReadV3", importRead);
  add("TensorArrayGatherV3", importGather);
  add("TensorArrayScatterV3", importScatter);
  add("TensorArraySizeV3", importSize);
  add("TensorArrayConcatV3", importConcat);
  add("TensorArraySplitV3", importSplit);
  add("TensorArrayCloseV3", importClose);
}

} // namespace weir::tensorflow
