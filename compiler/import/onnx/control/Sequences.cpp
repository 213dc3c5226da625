// Sequences of tensors and values that may be absent: both are known at compile
// time, but for the tensors that they hold.

#include "compiler/import/onnx/Operands.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/onnx/control/Control.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Tensors one after the other, of any shapes.
struct Sequence : Object {
  SmallVector<Traced> elements;

  bool flatten(SmallVectorImpl<Value> &values) const override {
    return llvm::all_of(elements, [&](const Traced &element) {
      return weir::flatten(element, values);
    });
  }
  std::shared_ptr<Object> rebuild(ArrayRef<Value> &values) const override {
    auto result = std::make_shared<Sequence>();
    for (const Traced &element : elements)
      result->elements.push_back(weir::rebuild(element, values));
    return result;
  }
};

/// An optional that holds nothing; one that holds something is that.
struct Nothing : Object {};

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
FailureOr<Traced> sequenceOf(Node &node, SmallVector<Traced> elements) {
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
  return Traced{{}, {}, std::move(sequence)};
}

LogicalResult giveSequence(Node &node, SmallVector<Traced> elements) {
  FailureOr<Traced> sequence = sequenceOf(node, std::move(elements));
  return failed(sequence) ? failure() : node.tracedResults({*sequence});
}

/// A place in a sequence, negative ones from its end; where operand `i` is left
/// out, `otherwise`. It must lie below `end`.
FailureOr<int64_t> placeAt(Node &node, unsigned i, int64_t count, int64_t end,
                           int64_t otherwise) {
  if (!node.has(i))
    return otherwise;
  FailureOr<int64_t> place = node.integer(i);
  if (failed(place))
    return failure();
  int64_t from = *place < 0 ? *place + count : *place;
  if (*place < -count || from >= end)
    return node.error() << "names place " << *place << " of a sequence of "
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
  SmallVector<Traced> elements = sequence->elements;
  auto count = static_cast<int64_t>(elements.size());
  FailureOr<int64_t> place = placeAt(node, 2, count, count + 1, count);
  if (failed(place))
    return failure();
  elements.insert(elements.begin() + *place, node.traced(1));
  return giveSequence(node, std::move(elements));
}

LogicalResult importSequenceErase(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  SmallVector<Traced> elements = sequence->elements;
  auto count = static_cast<int64_t>(elements.size());
  if (!count)
    return node.error() << "takes from an empty sequence";
  FailureOr<int64_t> place = placeAt(node, 1, count, count, count - 1);
  if (failed(place))
    return failure();
  elements.erase(elements.begin() + *place);
  return giveSequence(node, std::move(elements));
}

/// The element at a place that may be known only at run time, where all are of
/// one type.
LogicalResult importSequenceAt(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  ArrayRef<Traced> elements = sequence->elements;
  auto count = static_cast<int64_t>(elements.size());
  if (!node.has(1) || !count)
    return node.error() << "takes from a sequence of " << count;
  if (node.tryConstant(1)) {
    FailureOr<int64_t> place = placeAt(node, 1, count, count, 0);
    return failed(place) ? failure() : node.tracedResults({elements[*place]});
  }
  SmallVector<Expr> given;
  if (failed(readScalars(node, 1, given)))
    return failure();
  for (const Traced &element : elements)
    if (!element.value ||
        element.value.getType() != elements[0].value.getType())
      return node.unsupported("a place known only at run time in a sequence of "
                              "different types");
  if (given.size() != 1)
    return node.error() << "names " << given.size() << " places";
  Expr result(node.b, elements[0].value), found;
  for (int64_t i = 0; i < count; ++i) {
    Expr isThis = either(equal(given[0], number(node, i)),
                         equal(given[0], number(node, i - count)));
    found = found ? either(found, isThis) : isThis;
    result = select(isThis, Expr(node.b, elements[i].value), result);
  }
  if (failed(check(node, found, "names a place outside of its sequence")))
    return failure();
  return give(node, result);
}

LogicalResult importSequenceLength(Node &node) {
  auto sequence = sequenceAt(node, 0);
  if (!sequence)
    return failure();
  return give(node,
              number(node, static_cast<int64_t>(sequence->elements.size())));
}

/// The elements of a sequence as expressions; an error where one is no tensor.
FailureOr<SmallVector<Expr>> tensorsAt(Node &node, unsigned i) {
  auto sequence = sequenceAt(node, i);
  if (!sequence)
    return failure();
  SmallVector<Expr> tensors;
  for (const Traced &element : sequence->elements) {
    if (!element.value)
      return node.error() << "has an element that is no tensor";
    tensors.emplace_back(node.b, element.value);
  }
  if (tensors.empty())
    return node.error() << "joins the tensors of an empty sequence";
  return tensors;
}

LogicalResult importConcatFromSequence(Node &node) {
  FailureOr<SmallVector<Expr>> parts = tensorsAt(node, 0);
  if (failed(parts))
    return failure();
  bool isNew = node.intAttr("new_axis") != 0;
  FailureOr<int64_t> axis =
      node.axis(node.intAttr("axis"), parts->front().rank() + (isNew ? 1 : 0));
  if (failed(axis))
    return failure();
  for (Expr &part : *parts) {
    Integers shape(part.shape()), first((*parts)[0].shape());
    bool fits = part.elementType() == (*parts)[0].elementType();
    if (isNew) {
      if (shape.size() < static_cast<size_t>(*axis))
        return node.error() << "joins tensors of different ranks";
      shape.insert(shape.begin() + *axis, 1);
      part = reshape(part, shape);
      first = Integers((*parts)[0].shape());
    }
    fits = fits && shape.size() == first.size();
    if (fits)
      shape[*axis] = first[*axis] = 0;
    if (!fits || shape != first)
      return node.error() << "joins " << (*parts)[0].type() << " and "
                          << part.type();
  }
  return give(node, concat(*parts, *axis));
}

/// A part of a tensor whose size only the run knows: such parts can be counted.
struct OpenPart : Object {};

LogicalResult splitByData(Node &node, int64_t size) {
  SmallVector<Expr> sizes;
  if (failed(readScalars(node, 1, sizes)))
    return failure();
  if (node.rank(1) != 1 || sizes.empty())
    return node.unsupported("parts of a size that only the run knows");
  Expr total, fits;
  for (Expr part : sizes) {
    total = total ? total + part : part;
    Expr isInside = inRange(part, number(node, 0), number(node, size + 1));
    fits = fits ? both(fits, isInside) : isInside;
  }
  if (failed(check(node, both(fits, equal(total, number(node, size))),
                   "its parts are not all of " + Twine(size) + " elements")))
    return failure();
  SmallVector<Traced> parts;
  for (size_t i = 0; i < sizes.size(); ++i)
    parts.push_back({{}, {}, std::make_shared<OpenPart>()});
  return giveSequence(node, std::move(parts));
}

/// Parts of a size each, or of the sizes that a list has; of size 1, without
/// their dimension unless that is kept, where neither is given.
LogicalResult importSplitToSequence(Node &node) {
  if (!node.operand(0))
    return node.error() << "splits no tensor";
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  int64_t size = x.size(*axis);
  bool keeps = node.has(1) || node.intAttr("keepdims", 1);
  if (node.has(1) && !node.tryConstant(1))
    return splitByData(node, size);
  Integers sizes;
  if (node.has(1) && node.rank(1) > 0) {
    FailureOr<Integers> given = node.integers(1);
    if (failed(given))
      return failure();
    sizes = *given;
  } else {
    FailureOr<int64_t> each = node.has(1) ? node.integer(1) : int64_t(1);
    if (failed(each))
      return failure();
    if (*each < 1)
      return node.error() << "makes parts of " << *each;
    if (size / *each >= partLimit)
      return node.error(Status::limit)
             << "splits " << size << " elements into more than " << partLimit
             << " parts";
    for (int64_t left = size; left > 0; left -= sizes.back())
      sizes.push_back(std::min(*each, left));
  }
  if (static_cast<int64_t>(sizes.size()) > partLimit)
    return node.error(Status::limit)
           << "makes " << sizes.size() << " parts, and at most " << partLimit
           << " can be";
  int64_t left = size;
  for (int64_t part : sizes) {
    if (part < 0 || part > left)
      return node.error() << "splits " << size << " elements into [" << sizes
                          << "]";
    left -= part;
  }
  if (left)
    return node.error() << "splits " << size << " elements into [" << sizes
                        << "]";
  SmallVector<Traced> parts;
  int64_t at = 0;
  for (int64_t part : sizes) {
    Expr one = slice(x, *axis, at, part);
    Integers shape(one.shape());
    if (!keeps) {
      shape.erase(shape.begin() + *axis);
      one = reshape(one, shape);
    }
    parts.push_back({one.value, {}, nullptr});
    at += part;
  }
  return giveSequence(node, std::move(parts));
}

/// A graph on the elements of sequences of one length; tensors go to each.
LogicalResult importSequenceMap(Node &node) {
  auto *body = node.graphAttr("body");
  if (!body)
    return node.missing("body");
  auto first = sequenceAt(node, 0);
  if (!first)
    return failure();
  std::vector<SmallVector<Traced>> given(node.outputs());
  for (size_t place = 0; place < first->elements.size(); ++place) {
    SmallVector<Traced> arguments;
    for (unsigned i = 0; i < node.size(); ++i) {
      auto *sequence = dynamic_cast<Sequence *>(node.traced(i).object.get());
      if (sequence && sequence->elements.size() != first->elements.size())
        return node.error() << "has sequences of different lengths";
      arguments.push_back(sequence ? sequence->elements[place]
                                   : node.traced(i));
    }
    auto results = node.tracer.traceInner(node, *body, arguments);
    if (failed(results))
      return failure();
    if (results->size() < given.size())
      return node.error() << "its body gives " << results->size() << " results";
    for (auto [to, result] : llvm::zip(given, *results))
      to.push_back(result);
  }
  SmallVector<Traced> sequences;
  for (SmallVector<Traced> &elements : given) {
    FailureOr<Traced> sequence = sequenceOf(node, std::move(elements));
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
  constexpr Takes any = Takes::anything;
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
