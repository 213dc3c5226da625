// Tensor lists made of the rows of a tensor.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/List.h"

#include "dialects/graph/Index.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {

using Shape = SmallVector<int64_t>;

static LogicalResult give(Node &node, const List &like, Value tensor) {
  auto result = std::make_shared<List>(like);
  result->tensor = tensor;
  result->count = typeOf(tensor).getDimSize(0);
  return node.tracedResults({{{}, {}, result}});
}

/// Rows of a tensor in turns: lists hold elements of one shape, so lengths must
/// be equal.
static LogicalResult importSplit(Node &node) {
  if (node.size() != 3 || !node.operand(0) || !node.rank(0))
    return node.error() << "wants a tensor of one dimension or more";
  FailureOr<SmallVector<int64_t>> lengths = node.integers(2);
  if (failed(lengths))
    return failure();
  int64_t length = lengths->empty() ? 0 : lengths->front(), total = 0;
  for (int64_t each : *lengths) {
    if (each < 0 || llvm::AddOverflow(total, each, total))
      return node.error() << "splits off " << each << " rows";
    if (each != length)
      return node.unsupported("a list of elements of different types");
  }
  if (total != node.shape(0)[0])
    return node.error() << "splits " << total << " rows of " << node.type(0);
  List list;
  list.element = node.type(0).getElementType();
  Shape shape(node.shape(0));
  shape[0] = length;
  list.shape = shape;
  shape.insert(shape.begin(), static_cast<int64_t>(lengths->size()));
  return give(node, list, reshapeTo(node.b, node.operand(0), shape));
}

/// `tensor` with the rows of operand `from` at the constant indices of operand
/// `from` + 1.
static FailureOr<Value> scatterRows(Node &node, Value tensor, unsigned from) {
  FailureOr<SmallVector<int64_t>> indices = node.integers(from + 1);
  if (failed(indices))
    return failure();
  if (node.shape(from).empty() ||
      node.shape(from)[0] != static_cast<int64_t>(indices->size()) ||
      typeOf(tensor).getElementType() != node.type(from).getElementType() ||
      elementShape(tensor) != elementShape(node.operand(from)))
    return node.error() << "cannot scatter " << node.type(from) << " into "
                        << tensor.getType();
  for (int64_t index : *indices)
    if (index < 0 || index >= typeOf(tensor).getDimSize(0))
      return node.error() << "index " << index << " is none of "
                          << typeOf(tensor).getDimSize(0) << " elements";
  Value vectors =
      reshapeTo(node.b, numbers(node.b, node.b.getI64Type(), *indices),
                {static_cast<int64_t>(indices->size()), 1});
  return make<graph::ScatterOp>(node.b, tensor, vectors, node.operand(from),
                                graph::Combiner::update);
}

/// A list of its own, as long as the greatest index or an operand says.
static LogicalResult importScatter(Node &node) {
  bool isCounted = node.op().ends_with("V2");
  if (node.size() != (isCounted ? 4 : 3) || !node.operand(0) || !node.rank(0))
    return node.error() << "wants a tensor of one dimension or more";
  FailureOr<SmallVector<int64_t>> indices = node.integers(1);
  FailureOr<int64_t> count =
      isCounted ? node.integer(3) : FailureOr<int64_t>(-1);
  if (failed(indices) || failed(count))
    return failure();
  bool grows = *count < 0;
  for (int64_t index : *indices) {
    if (index > (int64_t(1) << 40))
      return node.error() << "makes a list of more than " << index
                          << " elements";
    if (grows)
      *count = std::max(*count, index + 1);
  }
  List list;
  list.element = node.type(0).getElementType();
  list.shape = elementShape(node.operand(0));
  Shape shape(node.shape(0));
  shape[0] = std::max<int64_t>(*count, 0);
  if (!byteSize(shape, 8))
    return node.error() << "makes a list of " << *count << " elements";
  FailureOr<Value> tensor =
      scatterRows(node, splat(node.b, node.type(0).clone(shape), 0), 0);
  return failed(tensor) ? failure() : give(node, list, *tensor);
}

static LogicalResult importScatterInto(Node &node) {
  auto *given = dynamic_cast<List *>(node.traced(0).object.get());
  if (node.size() != 3 || !given || !node.operand(1) || !node.rank(1))
    return node.error() << "wants a list and a tensor of one dimension or more";
  List list = *given;
  list.element = node.type(1).getElementType();
  if (!list.fill(node.b, elementShape(node.operand(1))))
    return node.unsupported("a list whose elements have no known shape");
  FailureOr<Value> tensor = scatterRows(node, list.tensor, 1);
  return failed(tensor) ? failure() : give(node, list, *tensor);
}

void addListRowHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, Handler handler) {
    handlers[op] = {handler, Takes::anything};
  };
  add("TensorListSplit", importSplit);
  add("TensorListScatter", importScatter);
  add("TensorListScatterV2", importScatter);
  add("TensorListScatterIntoExistingList", importScatterInto);
}

} // namespace weir::tensorflow
