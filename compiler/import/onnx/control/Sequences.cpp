// Sequences of tensors and values that may be absent: both are known at compile
// time, but for the tensors that they hold.

#include "compiler/import/onnx/control/Sequences.h"

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/onnx/control/Parts.h"
#include "compiler/import/onnx/control/Sequence.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// An optional that holds nothing; one that holds something is that.
struct Nothing : Object {};

} // namespace

/// The sequence at operand `i`; null after an error.
std::shared_ptr<Sequence> sequenceAt(Node &node, unsigned i) {
  auto sequence = std::dynamic_pointer_cast<Sequence>(node.traced(i).object);
  if (!sequence)
    node.error() << "operand " << i << " is no sequence";
  return sequence;
}

/// A sequence of these, which are tensors: of sequences that hold others twice
/// a few nodes would make more than there is memory. Nor may it be long, since
/// a node that adds one tensor to it makes another as long.
FailureOr<Traced> sequenceOf(Node &node, SmallVector<Traced> elements,
                             Value count) {
  for (auto [i, element] : llvm::enumerate(elements))
    if (!element.value &&
        (!element.object || dynamic_cast<Sequence *>(element.object.get()) ||
         dynamic_cast<Nothing *>(element.object.get())))
      return node.error() << "element " << i << " is no tensor";
  if (static_cast<int64_t>(elements.size()) > partLimit)
    return node.error(Status::limit)
           << "makes a sequence of " << elements.size()
           << " tensors, and at most " << partLimit << " can be in one";
  auto sequence = std::make_shared<Sequence>();
  sequence->elements = std::move(elements);
  sequence->count = count;
  return Traced{{}, {}, std::move(sequence)};
}

LogicalResult giveSequence(Node &node, SmallVector<Traced> elements,
                           Value count) {
  FailureOr<Traced> sequence = sequenceOf(node, std::move(elements), count);
  return failed(sequence) ? failure() : node.tracedResults({*sequence});
}

namespace {

/// A place in a sequence, negative ones from its end; where operand `i` is left
/// out, `otherwise`. It must lie below `end`.
FailureOr<int64_t> positionAt(Node &node, unsigned i, int64_t count,
                              int64_t end, int64_t otherwise) {
  if (!node.has(i))
    return otherwise;
  FailureOr<int64_t> position = node.integer(i);
  if (failed(position))
    return failure();
  int64_t from = *position < 0 ? *position + count : *position;
  if (*position < -count || from >= end)
    return node.error() << "names place " << *position << " of a sequence of "
                        << count;
  return from;
}

LogicalResult importSequenceConstruct(Node &node) {
  SmallVector<Traced> elements;
  for (unsigned i = 0; i < node.size(); ++i)
    elements.push_back(node.traced(i));
  return giveSequence(node, std::move(elements));
}

LogicalResult importSequenceEmpty(Node &node) { return giveSequence(node, {}); }

LogicalResult importSequenceInsert(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  if (!node.operand(1))
    return node.error() << "inserts no tensor";
  if (sequence->count)
    return node.unsupported("a sequence of a length that is known only at run "
                            "time");
  SmallVector<Traced> elements = sequence->elements;
  auto count = static_cast<int64_t>(elements.size());
  FailureOr<int64_t> position = positionAt(node, 2, count, count + 1, count);
  if (failed(position))
    return failure();
  elements.insert(elements.begin() + *position, node.traced(1));
  return giveSequence(node, std::move(elements));
}

LogicalResult importSequenceErase(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  if (sequence->count)
    return node.unsupported("a sequence of a length that is known only at run "
                            "time");
  SmallVector<Traced> elements = sequence->elements;
  auto count = static_cast<int64_t>(elements.size());
  if (!count)
    return node.error() << "takes from an empty sequence";
  FailureOr<int64_t> position = positionAt(node, 1, count, count, count - 1);
  if (failed(position))
    return failure();
  elements.erase(elements.begin() + *position);
  return giveSequence(node, std::move(elements));
}

/// An element at a place that is known only at run time: of all elements the
/// one that is at it, with room for the largest.
LogicalResult giveElementAt(Node &node, const Sequence &sequence) {
  ImplicitLocOpBuilder &b = node.b;
  ArrayRef<Traced> elements = sequence.elements;
  SmallVector<Expr> given;
  if (failed(readScalars(node, 1, given)))
    return failure();
  if (given.size() != 1)
    return node.error() << "names " << given.size() << " places";
  auto rooms = joinSizes(elements[0], elements[0]);
  for (const Traced &element : elements) {
    auto own = joinSizes(elements[0], element);
    if (!own || !rooms)
      return node.unsupported("a place known only at run time in a sequence of "
                              "different types");
    for (auto [room, other] : llvm::zip_equal(*rooms, *own)) {
      room.bound = std::max(room.bound, other.bound);
      room.isDynamic |= other.isDynamic;
    }
  }
  Expr count = sequence.count
                   ? Expr(b, sequence.count)
                   : number(node, static_cast<int64_t>(elements.size()));
  Expr position =
      select(less(given[0], number(node, 0)), given[0] + count, given[0]);
  Traced result;
  for (auto [i, element] : llvm::enumerate(elements)) {
    Traced fit = fitTo(b, node, element, *rooms);
    if (i == 0) {
      result = fit;
      continue;
    }
    Expr isThis = equal(position, number(node, static_cast<int64_t>(i)));
    auto choose = [&](Value &value, Value other) {
      if (value)
        value = select(isThis, Expr(b, other), Expr(b, value)).value;
    };
    choose(result.value, fit.value);
    for (auto [extent, other] : llvm::zip(result.extents, fit.extents))
      choose(extent, other);
  }
  if (failed(check(node, inRange(position, number(node, 0), count),
                   "names a place outside of its sequence")))
    return failure();
  return node.tracedResults({result});
}

LogicalResult importSequenceAt(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  ArrayRef<Traced> elements = sequence->elements;
  auto count = static_cast<int64_t>(elements.size());
  if (!node.has(1) || !count)
    return node.error() << "takes from a sequence of " << count;
  if (!node.tryConstant(1) || sequence->count)
    return giveElementAt(node, *sequence);
  FailureOr<int64_t> position = positionAt(node, 1, count, count, 0);
  return failed(position) ? failure()
                          : node.tracedResults({elements[*position]});
}

LogicalResult importSequenceLength(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  if (sequence->count)
    return node.result(sequence->count);
  return give(node,
              number(node, static_cast<int64_t>(sequence->elements.size())));
}

/// A graph on the elements of sequences of one length; tensors go to each.
LogicalResult importSequenceMap(Node &node) {
  auto *body = node.graphAttr("body");
  if (!body)
    return node.missing("body");
  auto first = sequenceAt(node, 0);
  if (!first)
    return failure();
  for (unsigned i = 1; i < node.size(); ++i)
    if (auto *other = dynamic_cast<Sequence *>(node.traced(i).object.get());
        other && other->count != first->count)
      return node.unsupported("sequences of lengths that are known only at run "
                              "time");
  std::vector<SmallVector<Traced>> given(node.outputs());
  for (size_t position = 0; position < first->elements.size(); ++position) {
    SmallVector<Traced> arguments;
    for (unsigned i = 0; i < node.size(); ++i) {
      auto *sequence = dynamic_cast<Sequence *>(node.traced(i).object.get());
      if (sequence && sequence->elements.size() != first->elements.size())
        return node.error() << "has sequences of different lengths";
      arguments.push_back(sequence ? sequence->elements[position]
                                   : node.traced(i));
    }
    auto results =
        node.tracer.traceInner(node, *body, arguments, /*mayBeDynamic=*/true);
    if (failed(results))
      return failure();
    if (results->size() < given.size())
      return node.error() << "its body gives " << results->size() << " results";
    for (auto [to, result] : llvm::zip(given, *results))
      to.push_back(result);
  }
  SmallVector<Traced> sequences;
  for (SmallVector<Traced> &elements : given) {
    FailureOr<Traced> sequence =
        sequenceOf(node, std::move(elements), first->count);
    if (failed(sequence))
      return failure();
    sequences.push_back(*sequence);
  }
  return node.tracedResults(std::move(sequences));
}

LogicalResult importOptional(Node &node) {
  if (node.has(0))
    return node.tracedResults({node.traced(0)});
  return node.tracedResults({{{}, {}, std::make_shared<Nothing>()}});
}

bool isNothing(Node &node) {
  return !node.has(0) || dynamic_cast<Nothing *>(node.traced(0).object.get());
}

LogicalResult importOptionalGetElement(Node &node) {
  if (isNothing(node))
    return node.error() << "takes what an empty optional holds";
  return node.tracedResults({node.traced(0)});
}

LogicalResult importOptionalHasElement(Node &node) {
  auto type = RankedTensorType::get({}, node.b.getI1Type());
  return node.result(splat(node.b, type, !isNothing(node)));
}

} // namespace

void addSequenceHandlers(Handlers &handlers) {
  constexpr Takes any = Takes::bounded;
  handlers["ConcatFromSequence"] = {importConcatFromSequence, any};
  handlers["Optional"] = {importOptional, any};
  handlers["OptionalGetElement"] = {importOptionalGetElement, any};
  handlers["OptionalHasElement"] = {importOptionalHasElement, any};
  handlers["SequenceAt"] = {importSequenceAt, any};
  handlers["SequenceConstruct"] = {importSequenceConstruct, any};
  handlers["SequenceEmpty"] = {importSequenceEmpty, any};
  handlers["SequenceErase"] = {importSequenceErase, any};
  handlers["SequenceInsert"] = {importSequenceInsert, any};
  handlers["SequenceLength"] = {importSequenceLength, any};
  handlers["SequenceMap"] = {importSequenceMap, any};
  handlers["SplitToSequence"] = {importSplitToSequence, any};
}

} // namespace weir::onnx
