// Exports a program of the graph dialect as an ONNX model.

#include "compiler/export/onnx/Export.h"

#include "compiler/export/onnx/Ops.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

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
    nameOutputs();
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
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      DictionaryAttr attributes = function.getArgAttrDict(i);
      std::string name = nameOf(attributes, "input", i);
      if (attrs::shapeOf.isIn(attributes))
        return emitError(argument.getLoc())
               << "ONNX cannot express the padded buffers of dynamic "
                  "dimensions: set their sizes by --dim or --shape";
      if (attrs::strings.isIn(attributes))
        return emitError(argument.getLoc())
               << "ONNX cannot express that numbers stand for texts";
      RankedTensorType type = to_onnx::typeOf(argument);
      Tensor tensor{w.nameTensor(name), Sizes(type.getShape()),
                    type.getElementType()};
      w.describe(tensor);
      takeInfo(*root.mutable_input());
      w.hold(argument, tensor);
    }
    return success();
  }

  template <typename Infos>
  void takeInfo(Infos &to) {
    auto &infos = *root.mutable_value_info();
    *to.Add() = infos.Get(infos.size() - 1);
    infos.RemoveLast();
  }

  /// Before others have the names.
  void nameOutputs() {
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      outputNames.push_back(
          w.nameTensor(nameOf(function.getResultAttrDict(i), "output", i)));
  }

  void addOutputs() {
    Renames renames;
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      Tensor tensor = w.whole(value);
      if (!w.isComputed(tensor) || renames.count(tensor.name))
        tensor =
            w.node("Identity", tensor).result(tensor.shape, tensor.element);
      renames[tensor.name] = outputNames[i];
      tensor.name = outputNames[i];
      w.describe(tensor);
      takeInfo(*root.mutable_output());
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
