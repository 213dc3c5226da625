// Writes values and nodes into a graph of ONNX.

#include "compiler/export/onnx/Writer.h"

#include "compiler/Place.h"
#include "compiler/import/onnx/Types.h"
#include "dialects/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace weir::to_onnx {

ElementsAttr constantOf(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  return constant ? constant.getValue() : ElementsAttr();
}

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Writer::Writer(::onnx::GraphProto &root, int64_t opset) : opset(opset) {
  enter(&root);
}

Builder Writer::builder() const { return Builder(current->getContext()); }

void Writer::enter(::onnx::GraphProto *graph) {
  Scope scope;
  scope.graph = graph ? graph : &this->graph();
  scopes.push_back(std::move(scope));
}

void Writer::leave() { scopes.pop_back(); }

LogicalResult Writer::refuse(const Twine &why) {
  failed = true;
  InFlightDiagnostic error = emitError(current->getLoc())
                             << "ONNX cannot express "
                             << current->getName().getStringRef();
  if (std::string text = why.str(); !text.empty())
    error << ": " << text;
  return error;
}

/// Adds a number to a name that is in use.
static std::string nameIn(llvm::StringSet<> &used,
                          llvm::StringMap<unsigned> &counts, StringRef wanted) {
  std::string name = llvm::json::fixUTF8(wanted);
  unsigned &count = counts[name];
  std::string free = name;
  while (free.empty() || !used.insert(free).second)
    free = name + "_" + std::to_string(++count);
  return free;
}

std::string Writer::nameNode(StringRef wanted) {
  return nameIn(nodeNames, nodeCounts, wanted);
}

std::string Writer::nameTensor(StringRef wanted) {
  return nameIn(tensorNames, tensorCounts, wanted);
}

void Writer::describe(const Tensor &tensor) {
  ::onnx::ValueInfoProto &info = *graph().add_value_info();
  info.set_name(tensor.name);
  auto &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::dataTypeOf(tensor.element));
  auto &shape = *type.mutable_shape();
  for (int64_t size : tensor.shape) {
    auto &dim = *shape.add_dim();
    if (!ShapedType::isDynamic(size))
      dim.set_dim_value(size);
  }
}

// Values.

void Writer::hold(Value value, View view) {
  scopes.back().values[value] = std::move(view);
}

void Writer::hold(Value value, Tensor tensor) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  hold(value, View{std::move(tensor), Sizes(shape), countUp(shape.size())});
}

View Writer::viewOf(Value value) {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.values.find(value); found != scope.values.end())
      return found->second;
  Sizes shape(typeOf(value).getShape());
  Sizes order = countUp(shape.size());
  if (ElementsAttr constant = constantOf(value))
    return {this->constant(constant, order, nodeOf(value.getLoc()), false),
            shape, order};
  // An op that was refused has no tensor. With one name for all, the tensors
  // made of them would be taken for each other.
  return {{nameTensor("refused"), shape, typeOf(value).getElementType()},
          shape,
          order};
}

View Writer::filled(Value value) {
  View view = viewOf(value);
  view.tensor = expanded(view.tensor, view.full);
  return view;
}

Tensor Writer::whole(Value value) {
  return ordered(value, countUp(typeOf(value).getRank()));
}

Tensor Writer::ordered(Value value, ArrayRef<int64_t> order) {
  if (ElementsAttr constant = constantOf(value))
    return expanded(
        this->constant(constant, order, nodeOf(value.getLoc()), true),
        pick(constant.getShapedType().getShape(), order));
  View view = filled(value);
  return transposed(view.tensor, pick(view.order, order));
}

Tensor Writer::aligned(Value value, ArrayRef<int64_t> order) {
  Sizes inverse = inverseOf(order);
  if (ElementsAttr constant = constantOf(value))
    return this->constant(constant, inverse, nodeOf(value.getLoc()), false);
  View view = viewOf(value);
  if (view.order == Sizes(order) || view.tensor.isSingle())
    return view.tensor;
  Sizes shape(view.full.size() - view.tensor.rank(), 1);
  shape.append(view.tensor.shape);
  return transposed(reshaped(view.tensor, shape), pick(view.order, inverse));
}

// Nodes.

Node Writer::addNode(StringRef op, ArrayRef<Tensor> operands, StringRef name) {
  ::onnx::NodeProto &proto = *graph().add_node();
  proto.set_op_type(op.str());
  proto.set_name(nameNode(name));
  for (const Tensor &operand : operands)
    proto.add_input(operand.name);
  return Node(*this, proto);
}

/// Ops whose operands cannot be of bf16 in the opsets 17 and 18.
static bool lacksBf16(StringRef op) {
  static const llvm::StringSet<> ops = {
      "Acos", "Acosh", "Asin", "Asinh",    "Atan",     "Atanh",   "AveragePool",
      "Conv", "Cos",   "Cosh", "Elu",      "IsInf",    "MaxPool", "Round",
      "Selu", "Sin",   "Sinh", "Softplus", "Softsign", "Tan",     "TopK"};
  return ops.contains(op);
}

Node Writer::node(StringRef op, ArrayRef<Tensor> operands) {
  SmallVector<Tensor, 3> taken(operands);
  if (lacksBf16(op))
    for (Tensor &operand : taken)
      if (operand.element.isBF16())
        operand = cast(operand, builder().getF32Type());
  std::string name = nodeOf(current->getLoc());
  return addNode(op, taken,
                 name.empty() ? current->getName().stripDialect() : name);
}

Node Writer::step(StringRef op, ArrayRef<Tensor> operands) {
  std::string name = nodeOf(current->getLoc());
  return addNode(op, operands, name.empty() ? op.str() : name + "/" + op.str());
}

Tensor Writer::map(StringRef op, ArrayRef<Tensor> operands, Type element) {
  Sizes shape;
  for (const Tensor &operand : operands)
    shape = broadcastOf(shape, operand.shape);
  return node(op, operands)
      .result(shape, element ? element : operands.back().element);
}

const Tensor *Writer::findMade(StringRef key) const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.made.find(key); found != scope.made.end())
      return &found->second;
  return nullptr;
}

/// Names the form of a tensor. The name of the tensor is last, because it may
/// have commas and numbers, too.
static std::string keyOf(StringRef op, const Tensor &tensor,
                         ArrayRef<int64_t> numbers) {
  std::string key = op.str();
  for (int64_t number : numbers)
    key += "," + std::to_string(number);
  return key + ":" + tensor.name;
}

Tensor Writer::cast(Tensor tensor, Type element, bool isOwn) {
  if (tensor.element == element)
    return tensor;
  int64_t type = onnx::dataTypeOf(element);
  std::string key = keyOf("Cast", tensor, type);
  if (const Tensor *made = findMade(key))
    return *made;
  Node cast = isOwn ? node("Cast", tensor) : step("Cast", tensor);
  return scopes.back().made[key] =
             cast.set("to", type).result(tensor.shape, element);
}

/// Small constants take the shape themselves.
constexpr size_t copiedBytes = 1 << 16;

Tensor Writer::reshaped(Tensor tensor, ArrayRef<int64_t> shape, bool isOwn) {
  if (tensor.shape == Sizes(shape))
    return tensor;
  std::string key = keyOf("Reshape", tensor, shape);
  if (const Tensor *made = findMade(key))
    return *made;
  if (auto found = initializers.find(tensor.name);
      found != initializers.end()) {
    std::string bytes =
        scopes.front().graph->initializer(found->second).raw_data();
    if (bytes.size() <= copiedBytes)
      return initializer(key, {"", Sizes(shape), tensor.element},
                         std::move(bytes), tensor.name);
  }
  SmallVector<Tensor, 2> operands = {tensor, numbers(shape)};
  Node node =
      isOwn ? this->node("Reshape", operands) : step("Reshape", operands);
  // Otherwise a zero stands for the size of the operand.
  if (llvm::is_contained(shape, 0))
    node.set("allowzero", int64_t(1));
  return scopes.back().made[key] = node.result(shape, tensor.element);
}

Tensor Writer::expanded(Tensor tensor, ArrayRef<int64_t> shape) {
  if (tensor.shape == Sizes(shape))
    return tensor;
  std::string key = keyOf("Expand", tensor, shape);
  if (const Tensor *made = findMade(key))
    return *made;
  return scopes.back().made[key] = step("Expand", {tensor, numbers(shape)})
                                       .result(shape, tensor.element);
}

/// Whether only dimensions of one element change their order.
static bool isReshape(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  int64_t last = -1;
  for (int64_t dim : order) {
    if (shape[dim] == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

Tensor Writer::transposed(Tensor tensor, ArrayRef<int64_t> order) {
  if (isCountUp(order))
    return tensor;
  Sizes shape = pick(tensor.shape, order);
  if (isReshape(tensor.shape, order))
    return reshaped(tensor, shape);
  std::string key = keyOf("Transpose", tensor, order);
  if (const Tensor *made = findMade(key))
    return *made;
  return scopes.back().made[key] = step("Transpose", tensor)
                                       .set("perm", order)
                                       .result(shape, tensor.element);
}

Tensor Writer::sliced(Tensor tensor, ArrayRef<int64_t> starts,
                      ArrayRef<int64_t> ends, ArrayRef<int64_t> steps,
                      ArrayRef<int64_t> result) {
  Sizes first, last, by, axes;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    if (starts[d] == 0 && ends[d] == tensor.shape[d] && steps[d] == 1)
      continue;
    first.push_back(starts[d]);
    last.push_back(ends[d]);
    by.push_back(steps[d]);
    axes.push_back(d);
  }
  if (axes.empty())
    return tensor;
  return node("Slice", {tensor, numbers(first), numbers(last), numbers(axes),
                        numbers(by)})
      .result(result, tensor.element);
}

Tensor Writer::padded(Tensor tensor, Tensor value, ArrayRef<int64_t> low,
                      ArrayRef<int64_t> high) {
  Sizes pads(low), shape = tensor.shape;
  pads.append(high.begin(), high.end());
  for (auto [d, size] : llvm::enumerate(shape))
    size += low[d] + high[d];
  if (shape == tensor.shape)
    return tensor;
  return node("Pad", {tensor, numbers(pads), value})
      .result(shape, tensor.element);
}

Tensor Writer::reduced(StringRef op, Tensor tensor, ArrayRef<int64_t> axes,
                       bool keepsDims) {
  Sizes shape;
  for (auto [d, size] : llvm::enumerate(tensor.shape))
    if (!llvm::is_contained(axes, int64_t(d)))
      shape.push_back(size);
    else if (keepsDims)
      shape.push_back(1);
  // The axes have become an operand, those of sums earlier.
  bool isOperand = opset >= 18 || op == "ReduceSum";
  Node made = isOperand ? node(op, {tensor, numbers(axes)})
                        : node(op, tensor).set("axes", axes);
  return made.set("keepdims", int64_t(keepsDims)).result(shape, tensor.element);
}

// Attributes and outputs of nodes.

::onnx::AttributeProto &Node::attribute(StringRef name) {
  ::onnx::AttributeProto &attribute = *proto.add_attribute();
  attribute.set_name(name.str());
  return attribute;
}

Node &Node::set(StringRef name, int64_t value) {
  ::onnx::AttributeProto &one = attribute(name);
  one.set_type(::onnx::AttributeProto::INT);
  one.set_i(value);
  return *this;
}

Node &Node::set(StringRef name, ArrayRef<int64_t> values) {
  ::onnx::AttributeProto &one = attribute(name);
  one.set_type(::onnx::AttributeProto::INTS);
  for (int64_t value : values)
    one.add_ints(value);
  return *this;
}

Node &Node::setFloat(StringRef name, float value) {
  ::onnx::AttributeProto &one = attribute(name);
  one.set_type(::onnx::AttributeProto::FLOAT);
  one.set_f(value);
  return *this;
}

Node &Node::setText(StringRef name, StringRef value) {
  ::onnx::AttributeProto &one = attribute(name);
  one.set_type(::onnx::AttributeProto::STRING);
  one.set_s(value.str());
  return *this;
}

::onnx::GraphProto &Node::setGraph(StringRef name) {
  ::onnx::AttributeProto &one = attribute(name);
  one.set_type(::onnx::AttributeProto::GRAPH);
  one.mutable_g()->set_name(name.str());
  return *one.mutable_g();
}

Tensor Node::result(ArrayRef<int64_t> shape, Type element) {
  if (!element.isBF16() || !lacksBf16(proto.op_type()))
    return addOutput(shape, element);
  return writer.cast(addOutput(shape, writer.builder().getF32Type()), element);
}

Tensor Node::addOutput(ArrayRef<int64_t> shape, Type element) {
  Tensor tensor{writer.nameTensor(proto.name()), Sizes(shape), element};
  proto.add_output(tensor.name);
  writer.computed.insert(tensor.name);
  writer.describe(tensor);
  return tensor;
}

} // namespace weir::to_onnx
