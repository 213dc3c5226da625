// Exports a program of the graph dialect as an ONNX model.

#include "compiler/export/onnx/Export.h"

#include "compiler/export/onnx/Ops.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <climits>
#include <google/protobuf/text_format.h>

using namespace mlir;

namespace weir {
namespace to_onnx {
namespace {

constexpr int64_t formatVersion = 8;

const OpWriters &writers() {
  static const OpWriters table = [] {
    OpWriters writers;
    addControl(writers);
    addIndex(writers);
    addNeural(writers);
    addPadded(writers);
    addReduce(writers);
    addScatter(writers);
    addShape(writers);
    addState(writers);
    return writers;
  }();
  return table;
}

/// The names of tensors that become outputs.
using Renames = llvm::StringMap<std::string>;

void rename(const Renames &renames, ::onnx::GraphProto &graph) {
  auto change = [&](std::string &name) {
    if (auto found = renames.find(name); found != renames.end())
      name = found->second;
  };
  for (::onnx::NodeProto &node : *graph.mutable_node()) {
    for (std::string &name : *node.mutable_input())
      change(name);
    for (std::string &name : *node.mutable_output())
      change(name);
    for (::onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        rename(renames, *attribute.mutable_g());
  }
}

void addInputsOf(const ::onnx::GraphProto &graph, llvm::StringSet<> &names) {
  for (const ::onnx::NodeProto &node : graph.node()) {
    for (const std::string &name : node.input())
      names.insert(name);
    for (const ::onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addInputsOf(attribute.g(), names);
  }
}

/// Removes constants that were replaced by others.
void removeUnused(::onnx::GraphProto &root) {
  llvm::StringSet<> used;
  addInputsOf(root, used);
  auto &all = *root.mutable_initializer();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const ::onnx::TensorProto &tensor) {
                             return !used.contains(tensor.name());
                           }),
            all.end());
}

/// Adds the names of the dynamic dimensions of an input, as --dim has them.
/// `shape` are the attributes of the tensor with the input's actual sizes.
void addDynamicDims(std::vector<std::string> &names, StringRef input,
                    RankedTensorType type, DictionaryAttr shape) {
  ArrayAttr dims = attrs::dims.in(shape);
  DenseI64ArrayAttr least = attrs::least.in(shape);
  for (auto [d, bound] : llvm::enumerate(type.getShape())) {
    auto name =
        dims && d < dims.size() ? dyn_cast<StringAttr>(dims[d]) : StringAttr();
    bool isFixed = least && d < size_t(least.size()) && least[d] == bound;
    bool isNamed = name && !name.empty();
    std::string dim =
        isNamed ? name.str() : input.str() + "." + std::to_string(d);
    if ((isNamed || !isFixed) && !llvm::is_contained(names, dim))
      names.push_back(std::move(dim));
  }
}

/// The name of an argument or a result in the library.
std::string nameOf(DictionaryAttr attributes, StringRef otherwise, unsigned i) {
  if (StringAttr name = attrs::name.in(attributes))
    return name.str();
  return otherwise.str() + std::to_string(i);
}

class Exporter {
public:
  Exporter(func::FuncOp function, ::onnx::GraphProto &root, int64_t opset)
      : function(function), root(root), w(root, opset) {
    w.current = function;
  }

  LogicalResult run() {
    StringAttr entry = attrs::entry.of(function);
    root.set_name(entry ? entry.str() : function.getName().str());
    if (failed(addInputs()))
      return failure();
    if (failed(nameOutputs()))
      return failure();
    w.liveness.visit(function.getBody().front());
    writeOps(w, function.getBody().front());
    w.current = function;
    if (w.hasFailed())
      return failure();
    addOutputs();
    removeUnused(root);
    return success();
  }

private:
  LogicalResult addInputs() {
    if (failed(checkSizes()))
      return failure();
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      DictionaryAttr attributes = function.getArgAttrDict(i);
      std::string name = nameOf(attributes, "input", i);
      if (attrs::strings.isIn(attributes))
        return emitError(argument.getLoc())
               << "ONNX cannot express that numbers stand for texts";
      RankedTensorType type = to_onnx::typeOf(argument);
      Tensor tensor{w.nameTensor(name), Sizes(type.getShape()),
                    type.getElementType()};
      w.describe(tensor);
      inputNames.insert(tensor.name);
      takeInfo(*root.mutable_input());
      w.hold(argument, tensor);
    }
    return success();
  }

  /// ONNX would cut off the elements of an input that is larger than its padded
  /// buffer.
  LogicalResult checkSizes() {
    std::vector<std::string> names;
    bool isDynamic = false;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      DictionaryAttr attributes = function.getArgAttrDict(i);
      IntegerAttr of = attrs::shapeOf.in(attributes);
      isDynamic |= bool(of);
      if (!of || of.getValue().uge(function.getNumArguments()))
        continue;
      unsigned input = of.getInt();
      addDynamicDims(names,
                     nameOf(function.getArgAttrDict(input), "input", input),
                     to_onnx::typeOf(function.getArgument(input)), attributes);
    }
    if (!isDynamic)
      return success();
    InFlightDiagnostic error = emitError(function.getLoc());
    error << "ONNX cannot express the padded buffers of dynamic dimensions";
    for (auto [i, name] : llvm::enumerate(names))
      error << (i ? ", '" : " '") << escaped(name) << "'";
    error << ": set their sizes by";
    for (const std::string &name : names)
      error << " " << asArgument("--dim=" + name + "=SIZE");
    return error;
  }

  template <typename Infos>
  void takeInfo(Infos &to) {
    auto &infos = *root.mutable_value_info();
    *to.Add() = infos.Get(infos.size() - 1);
    infos.RemoveLast();
  }

  /// Before others have the names. An output is another tensor than an input,
  /// also if it has the same value.
  LogicalResult nameOutputs() {
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      DictionaryAttr attributes = function.getResultAttrDict(i);
      std::string name = nameOf(attributes, "output", i);
      if (attrs::strings.isIn(attributes))
        return emitError(resultOf(i).getLoc())
               << "ONNX cannot express that numbers stand for texts";
      outputNames.push_back(w.nameTensor(name));
      if (inputNames.contains(name))
        emitWarning(resultOf(i).getLoc())
            << "the output '" << escaped(name) << "' has the name '"
            << escaped(outputNames.back())
            << "' in the ONNX model, because an input has its own";
    }
    return success();
  }

  Value resultOf(unsigned i) {
    return function.getBody().front().getTerminator()->getOperand(i);
  }

  /// The number of the result with the actual sizes of result `i`.
  std::optional<unsigned> shapeOf(unsigned i) {
    for (unsigned j = 0; j < function.getNumResults(); ++j)
      if (IntegerAttr of = attrs::shapeOf.ofResult(function, j);
          of && of.getInt() == i)
        return j;
    return std::nullopt;
  }

  /// The tensor in a padded buffer, whose first elements it has.
  Tensor unpadded(Value buffer, unsigned shape) {
    w.current = buffer.getDefiningOp() ? buffer.getDefiningOp() : function;
    Tensor padded = w.whole(buffer), sizes = w.whole(resultOf(shape));
    sizes = w.cast(sizes, w.builder().getI64Type());
    Tensor count =
        w.reduced("ReduceProd", sizes, int64_t(0), /*keepsDims=*/true);
    Tensor flat = w.reshaped(padded, ShapedType::getNumElements(padded.shape));
    int64_t dynamic = ShapedType::kDynamic;
    Tensor elements = w.node("Slice", {flat, w.numbers(int64_t(0)), count})
                          .result(dynamic, padded.element);
    DenseI64ArrayAttr least = attrs::least.ofResult(function, shape);
    for (auto [d, size] : llvm::enumerate(padded.shape))
      if (!least || d >= size_t(least.size()) || least[d] != size)
        size = dynamic;
    // Otherwise a zero stands for the size of the operand.
    return w.node("Reshape", {elements, sizes})
        .set("allowzero", int64_t(1))
        .result(padded.shape, padded.element);
  }

  void nameDims(::onnx::ValueInfoProto &output, unsigned shape) {
    ArrayAttr dims = attrs::dims.ofResult(function, shape);
    auto &type = *output.mutable_type()->mutable_tensor_type();
    for (auto [d, dim] :
         llvm::enumerate(*type.mutable_shape()->mutable_dim())) {
      auto name = dims && d < dims.size() ? dyn_cast<StringAttr>(dims[d])
                                          : StringAttr();
      if (name && !name.empty() && !dim.has_dim_value())
        dim.set_dim_param(llvm::json::fixUTF8(name.getValue()));
    }
  }

  void addOutputs() {
    Renames renames;
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      // The sizes of an output are in its type.
      if (attrs::shapeOf.ofResult(function, i))
        continue;
      std::optional<unsigned> shape = shapeOf(i);
      Tensor tensor = shape ? unpadded(value, *shape) : w.whole(value);
      if (!w.isComputed(tensor) || renames.count(tensor.name))
        tensor =
            w.node("Identity", tensor).result(tensor.shape, tensor.element);
      renames[tensor.name] = outputNames[i];
      tensor.name = outputNames[i];
      w.describe(tensor);
      takeInfo(*root.mutable_output());
      if (shape)
        nameDims(*root.mutable_output(root.output_size() - 1), *shape);
    }
    rename(renames, root);
    removeInfos(renames);
  }

  void removeInfos(const Renames &renames) {
    auto &infos = *root.mutable_value_info();
    auto kept = std::remove_if(infos.begin(), infos.end(),
                               [&](const ::onnx::ValueInfoProto &info) {
                                 return renames.count(info.name()) > 0;
                               });
    infos.erase(kept, infos.end());
  }

  func::FuncOp function;
  ::onnx::GraphProto &root;
  Writer w;
  llvm::StringSet<> inputNames;
  std::vector<std::string> outputNames;
};

/// The one function of the module; null after an error.
func::FuncOp functionOf(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  SmallVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || attrs::init.isOn(function))
      continue;
    StringAttr entry = attrs::entry.of(function);
    functions.push_back(function);
    names.push_back(entry ? entry.getValue() : function.getName());
  }
  if (functions.size() == 1 && !functions.front().isExternal())
    return functions.front();
  emitError(module.getLoc())
      << "an ONNX file has one function, and this program has "
      << functions.size() << ": " << escaped(llvm::join(names, ", "));
  return {};
}

int64_t opsetOf(func::FuncOp function) {
  WalkResult walk = function.walk([](Operation *op) {
    auto scatter = dyn_cast<graph::ScatterOp>(op);
    bool ordersUpdates =
        scatter && (scatter.getCombiner() == graph::Combiner::min ||
                    scatter.getCombiner() == graph::Combiner::max);
    return ordersUpdates || isOfOpset18(op) ? WalkResult::interrupt()
                                            : WalkResult::advance();
  });
  return walk.wasInterrupted() ? 18 : 17;
}

/// Checks are lost, and the user is told so.
void warnOfChecks(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](graph::CheckOp) { ++count; });
  if (count)
    emitWarning(function.getLoc()) << "the ONNX model does not have " << count
                                   << (count == 1 ? " check" : " checks")
                                   << " of values, such as ranges of indices";
}

} // namespace

void writeOps(Writer &w, Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (!w.liveness.isLive(&op))
      continue;
    w.current = &op;
    auto writer = writers().find(op.getName().getStringRef());
    if (writer != writers().end())
      (void)writer->second(w, &op);
    else
      (void)writeElementwise(w, &op);
  }
}

} // namespace to_onnx

std::string exportOnnx(ModuleOp module, bool asText, Status &status) {
  status = Status::unsupported;
  func::FuncOp function = to_onnx::functionOf(module);
  if (!function)
    return {};
  ::onnx::ModelProto model;
  model.set_ir_version(to_onnx::formatVersion);
  model.set_producer_name("weir");
  int64_t opset = to_onnx::opsetOf(function);
  model.add_opset_import()->set_version(opset);
  model.mutable_opset_import(0)->set_domain("");
  if (failed(to_onnx::Exporter(function, *model.mutable_graph(), opset).run()))
    return {};
  to_onnx::warnOfChecks(function);
  std::string bytes;
  if (size_t size = model.ByteSizeLong(); size > INT_MAX) {
    emitError(module.getLoc()) << "the ONNX model would have " << size
                               << " bytes, and a file has at most 2 GiB";
    status = Status::limit;
    return {};
  }
  bool isWritten =
      asText ? google::protobuf::TextFormat::PrintToString(model, &bytes)
             : model.SerializeToString(&bytes);
  status = isWritten ? Status::ok : Status::internal;
  return bytes;
}

} // namespace weir
