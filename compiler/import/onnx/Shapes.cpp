// What the shapes that a model says of some values tell of those between.
//
// Where a shape depends on data, the importer takes the one that the model
// says. Models often say it only of their outputs; what ops do to shapes leads
// back from these.

#include "compiler/import/Names.h"
#include "compiler/import/onnx/Graph.h"

#include "mlir/Support/LLVM.h"

using namespace mlir;
using ::onnx::NodeProto;
using ::onnx::TypeProto;

namespace weir::onnx {

/// What an op makes of its operands' shapes.
enum class Shaping { keeps, broadcasts, other };

/// Of an elementwise op, its definition decides. The lists have the ops with
/// handlers: those whose result 0 has the shape of operand 0, and those whose
/// operands broadcast to it.
static Shaping shapingOf(const NodeProto &node) {
  static const llvm::StringSet<> keeps{"BatchNormalization",
                                       "Cast",
                                       "CastLike",
                                       "Celu",
                                       "Clip",
                                       "CumSum",
                                       "Dropout",
                                       "Elu",
                                       "Gelu",
                                       "HardSigmoid",
                                       "HardSwish",
                                       "Hardmax",
                                       "Identity",
                                       "IsInf",
                                       "LeakyRelu",
                                       "LogSoftmax",
                                       "Mish",
                                       "Selu",
                                       "Shrink",
                                       "Softmax",
                                       "Swish",
                                       "ThresholdedRelu",
                                       "Trilu"};
  static const llvm::StringSet<> broadcasts{"BitShift", "Max", "Mean", "Min",
                                            "Mod",      "Pow", "Sum"};
  std::string op = opKey(node);
  if (node.input_size() == 0 || node.output_size() == 0)
    return Shaping::other;
  if (auto found = elementwiseOnnxNames().find(op);
      found != elementwiseOnnxNames().end())
    return found->second ? Shaping::keeps : Shaping::broadcasts;
  if (keeps.contains(op))
    return Shaping::keeps;
  return broadcasts.contains(op) ? Shaping::broadcasts : Shaping::other;
}

static bool isScalar(const TypeProto *type) {
  return type && type->has_tensor_type() && type->tensor_type().has_shape() &&
         type->tensor_type().shape().dim_size() == 0;
}

/// A Constant of one number.
static bool givesScalar(const NodeProto &node) {
  if (opKey(node) != "Constant" || node.output_size() == 0)
    return false;
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "value_int" || attribute.name() == "value_float" ||
        (attribute.name() == "value" && attribute.has_t() &&
         attribute.t().dims_size() == 0))
      return true;
  return false;
}

llvm::StringSet<> Graph::scalars() const {
  llvm::StringSet<> known;
  for (const auto &entry : types)
    if (isScalar(entry.getValue()))
      known.insert(entry.getKey());
  for (const auto &entry : tensors)
    if (entry.getValue()->dims_size() == 0)
      known.insert(entry.getKey());
  for (const NodeProto *node : nodes) {
    Shaping shaping = shapingOf(*node);
    bool isKnown = givesScalar(*node);
    if (shaping == Shaping::keeps)
      isKnown = known.contains(node->input(0));
    else if (shaping == Shaping::broadcasts)
      isKnown = llvm::all_of(node->input(), [&](const std::string &input) {
        return known.contains(input);
      });
    if (isKnown)
      known.insert(node->output(0));
  }
  return known;
}

void Graph::inferShapes() {
  llvm::StringSet<> scalar = scalars();
  auto say = [&](llvm::StringMap<const TypeProto *> &where, StringRef value,
                 const TypeProto *type) {
    if (type && type->has_tensor_type() && !types.count(value) &&
        !scalar.contains(value))
      where.try_emplace(value, type);
  };
  for (const NodeProto *node : llvm::reverse(nodes)) {
    Shaping shaping = shapingOf(*node);
    if (opKey(*node) == "Slice" && node->input_size() && node->output_size())
      say(cuts, node->input(0), declaredShape(node->output(0)));
    if (shaping == Shaping::other)
      continue;
    StringRef result = node->output(0);
    const TypeProto *sure = declaredShape(result);
    if (shaping == Shaping::keeps) {
      say(shapes, node->input(0), sure);
      say(likely, node->input(0), likelyShape(result));
      continue;
    }
    auto isDynamic = [&](const std::string &input) {
      return !scalar.contains(input);
    };
    // Numbers leave the shape of the one other operand; of several, one may be
    // repeated along some dimension.
    bool isOnly = llvm::count_if(node->input(), isDynamic) == 1;
    for (const std::string &input : node->input()) {
      if (isOnly)
        say(shapes, input, sure);
      say(likely, input, sure ? sure : likelyShape(result));
    }
  }
}

} // namespace weir::onnx
