// Which tensor of a checkpoint each variable is.

#include "compiler/import/tensorflow/file/Variables.h"

#include "compiler/Slice.h"
#include "compiler/import/FileKind.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"
#include "compiler/import/tensorflow/file/SavedModel.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

namespace {

/// A graph that restores variables, and what its arguments are outside of it.
struct Restorer {
  const Graph &graph;
  /// Names of the variables behind the arguments; empty for others.
  std::vector<std::string> arguments;
};

class Variables : public VariableSource {
public:
  Variables(Report &report, const SavedModelFile &model, const Graph &graph,
            Library &library)
      : report(report), model(model) {
    bindIn({graph, {}});
    if (!model.graph)
      return;
    // Later versions restore in a function, to which handles are handed.
    if (std::optional<int> node =
            graph.find(StringRef(model.graph->saver_def().restore_op_name())
                           .split(':')
                           .first))
      bindInCall(graph, *node, library);
  }

  /// Takes the checkpoint at `path` instead of the model's own.
  LogicalResult open(const std::string &path) {
    opened = true;
    std::string index = checkpointPart(path, 0) + ".index";
    if (std::error_code missing =
            llvm::sys::fs::access(index, llvm::sys::fs::AccessMode::Exist)) {
      report.error(Status::io) << "cannot open the checkpoint '"
                               << escaped(index) << "': " << missing.message();
      return failure();
    }
    StringRef folder = llvm::sys::path::parent_path(path);
    FailureOr<File> found =
        File::openDirectory(report, folder.empty() ? "." : folder.str());
    if (failed(found))
      return failure();
    directory = std::move(*found);
    checkpoint =
        Checkpoint::open(report, directory, llvm::sys::path::filename(path));
    return success(checkpoint != nullptr);
  }

  FailureOr<ElementsAttr> value(StringRef name) override;
  std::string key(StringRef name) override;
  std::string slice(StringRef name) override;
  SmallVector<StringRef> names() const override {
    return checkpoint ? checkpoint->keys() : SmallVector<StringRef>();
  }

private:
  void bindIn(const Restorer &restorer);
  void bindInCall(const Graph &graph, int node, Library &library);
  std::string variableBehind(const Restorer &restorer, Edge edge);
  void bind(const Restorer &restorer, int assignment);

  Report &report;
  const SavedModelFile &model;
  /// Of a checkpoint that is not the model's own.
  File directory;
  std::unique_ptr<Checkpoint> checkpoint;
  bool opened = false;
  /// The checkpoint's key of each variable, and which part of the tensor.
  llvm::StringMap<std::string> keys, slices;
  /// Those that values were found by.
  llvm::StringMap<std::string> used;
  llvm::StringMap<ElementsAttr> values;
};

} // namespace

static const ::tensorflow::AttrValue *attribute(const NodeDef &def,
                                                StringRef name) {
  auto found = def.attr().find(name.str());
  return found == def.attr().end() ? nullptr : &found->second;
}

std::string Variables::variableBehind(const Restorer &restorer, Edge edge) {
  edge = restorer.graph.behindIdentities(edge);
  if (edge.isArgument())
    return static_cast<size_t>(edge.argumentIndex()) < restorer.arguments.size()
               ? restorer.arguments[edge.argumentIndex()]
               : "";
  const NodeDef &def = restorer.graph.node(edge.node);
  StringRef op = def.op();
  if (op != "VarHandleOp" && op != "VariableV2" && op != "Variable")
    return "";
  return variableName(def);
}

/// The strings of a constant operand.
static const ::tensorflow::TensorProto *constantStrings(const Graph &graph,
                                                        int node, unsigned i) {
  if (i >= graph.operands(node).size())
    return nullptr;
  Edge edge = graph.behindIdentities(graph.operands(node)[i]);
  if (edge.isArgument() || graph.op(edge.node) != "Const")
    return nullptr;
  const auto *value = attribute(graph.node(edge.node), "value");
  return value && value->has_tensor() ? &value->tensor() : nullptr;
}

/// An element of a vector of strings. The last string that it has stands for
/// those behind it, too.
static std::optional<std::string>
stringAt(const ::tensorflow::TensorProto *strings, int i) {
  if (!strings || strings->string_val().empty())
    return std::nullopt;
  int last = strings->string_val_size() - 1;
  if (i > last && (strings->tensor_shape().dim_size() != 1 ||
                   i >= strings->tensor_shape().dim(0).size()))
    return std::nullopt;
  return strings->string_val(std::min(i, last));
}

void Variables::bind(const Restorer &restorer, int assignment) {
  const Graph &graph = restorer.graph;
  ArrayRef<Edge> operands = graph.operands(assignment);
  if (operands.size() != 2)
    return;
  std::string name = variableBehind(restorer, operands[0]);
  Edge from = graph.behindIdentities(operands[1]);
  if (name.empty() || from.isArgument() || graph.op(from.node) != "RestoreV2")
    return;
  std::optional<std::string> key =
      stringAt(constantStrings(graph, from.node, 1), from.output);
  if (!key)
    return;
  keys[name] = *key;
  if (auto part = stringAt(constantStrings(graph, from.node, 2), from.output))
    slices[name] = *part;
}

void Variables::bindIn(const Restorer &restorer) {
  for (int i = 0; i < restorer.graph.size(); ++i) {
    StringRef op = restorer.graph.op(i);
    if (op == "Assign" || op == "AssignVariableOp")
      bind(restorer, i);
  }
}

void Variables::bindInCall(const Graph &graph, int node, Library &library) {
  const auto *function = attribute(graph.node(node), "f");
  if (!function || !function->has_func())
    return;
  ::tensorflow::FunctionDef *def = library.find(function->func().name());
  Graph *body = def ? library.graph(report, *def) : nullptr;
  if (!body)
    return;
  Restorer restorer{*body, {}};
  for (Edge edge : graph.operands(node))
    restorer.arguments.push_back(variableBehind({graph, {}}, edge));
  bindIn(restorer);
}

std::string Variables::key(StringRef name) {
  auto found = used.find(name);
  if (found != used.end())
    return found->second;
  // The saver of a graph without a checkpoint cuts tensors, too.
  return slice(name).empty() ? "" : keys.lookup(name);
}

std::string Variables::slice(StringRef name) {
  std::string text = slices.lookup(name);
  auto parsed = text.empty() ? std::nullopt : parseSlice(text);
  return parsed && !parsed->isWhole() ? text : "";
}

FailureOr<ElementsAttr> Variables::value(StringRef name) {
  auto known = values.find(name);
  if (known != values.end())
    return known->second;
  if (!opened) {
    opened = true;
    if (model.graph && model.directory.has("variables"))
      checkpoint =
          Checkpoint::open(report, model.directory, "variables/variables");
    if (!checkpoint && report.status != Status::ok)
      return failure();
  }
  ElementsAttr value;
  if (checkpoint) {
    std::string key = keys.lookup(name);
    if (key.empty())
      key = name.str();
    if (!checkpoint->has(key) && !keys.count(name))
      key = checkpoint->keyOfVariable(name);
    if (!key.empty() && (checkpoint->has(key) || keys.count(name))) {
      std::string slice = slices.lookup(name);
      FailureOr<ElementsAttr> read = slice.empty()
                                         ? checkpoint->tensor(key, name)
                                         : checkpoint->part(key, slice, name);
      if (failed(read))
        return failure();
      value = *read;
      used[name] = key;
    }
  }
  values[name] = value;
  return value;
}

std::unique_ptr<VariableSource>
openVariables(Report &report, const SavedModelFile &model, const Graph &graph,
              Library &library, const std::string &path) {
  auto variables = std::make_unique<Variables>(report, model, graph, library);
  if (!path.empty() && failed(variables->open(path)))
    return nullptr;
  return variables;
}

} // namespace weir::tensorflow
