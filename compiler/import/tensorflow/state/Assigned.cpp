// Which variables the entries assign, and which are trained, found before
// anything is traced.

#include "compiler/import/tensorflow/state/Assigned.h"

#include "compiler/import/Trained.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Order.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/file/SavedModel.h"
#include "compiler/import/tensorflow/file/Trainable.h"
#include "compiler/import/tensorflow/state/Origins.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"
#include "dialects/weir/Attributes.h"

#include "llvm/ADT/StringSet.h"
#include <set>

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

bool isVariableOp(StringRef op) {
  return op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
}

/// How many of an optimizer's operands, from the first on, it updates.
static unsigned slotsOf(StringRef op) {
  op.consume_front("Resource");
  if (!op.consume_front("SparseApply") && !op.consume_front("Apply"))
    return 0;
  if (op.starts_with("GradientDescent") ||
      op.starts_with("ProximalGradientDescent"))
    return 1;
  if (op.starts_with("CenteredRMSProp"))
    return 4;
  if (op.starts_with("Adam") || op.starts_with("AdaMax") ||
      op.starts_with("RMSProp") || op.starts_with("Adadelta") ||
      op.starts_with("AdagradDA") || op.starts_with("Ftrl"))
    return 3;
  return 2;
}

bool assigns(StringRef op, unsigned i) {
  if (unsigned slots = slotsOf(op))
    return i < slots;
  if (i > 0)
    return false;
  return op.starts_with("Assign") || op.starts_with("ResourceScatter") ||
         op.starts_with("ResourceStridedSliceAssign") ||
         op == "StridedSliceAssign" || op == "CountUpTo" ||
         op == "ResourceCountUpTo" || op.starts_with("StatefulUniform") ||
         op == "StatefulStandardNormalV2" || op == "StatefulTruncatedNormal" ||
         op == "RngSkip" || op == "RngReadAndSkip" ||
         (op.starts_with("Scatter") && op != "ScatterNd" &&
          op != "ScatterNdNonAliasingAdd");
}

/// The ops that give the variable that they are given.
static bool handsReferenceOn(StringRef op) {
  return op == "RefIdentity" || op == "Enter" || op == "RefEnter" ||
         op == "Switch" || op == "RefSwitch" || op == "Merge" ||
         op == "RefMerge" || op == "NextIteration" ||
         op == "RefNextIteration" ||
         (assigns(op, 0) && !op.starts_with("Resource"));
}

/// The same where variables are handles.
static bool handsOn(StringRef op) {
  return op == "Identity" || handsReferenceOn(op);
}

namespace {

/// A graph as it is called: the variables behind its arguments, by name.
struct Call {
  const Graph *graph;
  std::vector<std::string> arguments;
  bool operator<(const Call &other) const {
    return std::tie(graph, arguments) < std::tie(other.graph, other.arguments);
  }
};

class Search {
public:
  Search(Report &report, Library &library) : report(report), library(library) {}

  LogicalResult visitEntry(const Graph &graph, const Entry &entry) {
    SmallVector<Edge> wanted, fed;
    for (const Port &port : entry.outputs)
      wanted.push_back(port.edge);
    forEachDerived(
        entry, [&](const Port &port, bool) { wanted.push_back(port.edge); });
    for (const Port &port : entry.inputs)
      fed.push_back(port.edge);
    auto order = orderNodes(report, graph, wanted, entry.targets, Feeds(fed));
    if (failed(order))
      return failure();
    isTraining = entry.isTraining;
    outermost = &graph;
    visit({&graph, {}}, *order);
    while (!work.empty()) {
      Call call = std::move(work.back());
      work.pop_back();
      auto inner = orderNodes(report, *call.graph, call.graph->returns,
                              call.graph->controlReturns, Feeds());
      if (failed(inner))
        return failure();
      visit(call, *inner);
    }
    return success();
  }

  /// By name; each with a node that declares it.
  std::map<std::string, const NodeDef *> found;
  /// What the entry that is trained has of variables and constants of floats,
  /// likewise.
  std::map<std::string, const NodeDef *> trainable;

private:
  /// The node that declares the variable which an edge stands for.
  std::string behind(const Call &call, Edge edge) {
    std::optional<Edge> origin = handles.of(*call.graph, edge);
    if (!origin)
      return "";
    if (origin->isArgument()) {
      size_t index = origin->argumentIndex();
      return index < call.arguments.size() ? call.arguments[index] : "";
    }
    const NodeDef &def = call.graph->node(origin->node);
    if (!isVariableOp(def.op()))
      return "";
    // Behind an Identity a reference is a value, and no variable any more.
    if (def.op() != "VarHandleOp" &&
        !(references.of(*call.graph, edge) == origin))
      return "";
    std::string name = variableName(def);
    declared.try_emplace(name, &def);
    return name;
  }

  void visit(const Call &call, ArrayRef<int> order) {
    for (int i : order) {
      const NodeDef &def = call.graph->node(i);
      ArrayRef<Edge> operands = call.graph->operands(i);
      if (isTraining && isTrainable(def) &&
          (def.op() != "Const" || call.graph == outermost))
        trainable.try_emplace(variableName(def), &def);
      for (size_t k = 0; k < operands.size() && assigns(def.op(), k); ++k)
        if (std::string name = behind(call, operands[k]); !name.empty())
          found[name] = declared.lookup(name);
      for (StringRef callee : calledFunctions(def))
        enter(call, i, callee);
    }
  }

  bool isTrainable(const NodeDef &def) const {
    auto type = def.attr().find("dtype");
    return (isVariableOp(def.op()) || def.op() == "Const") &&
           type != def.attr().end() &&
           isa_and_nonnull<FloatType>(
               elementType(report.context, type->second.type()));
  }

  void enter(const Call &call, int node, StringRef callee) {
    ::tensorflow::FunctionDef *function = library.find(callee);
    Graph *graph = function ? library.graph(report, *function) : nullptr;
    if (!graph)
      return;
    Call inner{graph, {}};
    for (Edge edge : callArguments(*call.graph, node))
      inner.arguments.push_back(behind(call, edge));
    if (seen.insert(inner).second)
      work.push_back(std::move(inner));
  }

  Report &report;
  Library &library;
  llvm::StringMap<const NodeDef *> declared;
  Origins handles{handsOn}, references{handsReferenceOn};
  std::set<Call> seen;
  std::vector<Call> work;
  bool isTraining = false;
  /// Names of constants are of use only there.
  const Graph *outermost = nullptr;
};

} // namespace

/// Variables that the options or the model train. Constants are only those that
/// --train-vars names, where it names no variable.
static std::map<std::string, const NodeDef *>
trainedOf(const Search &search, const Trainable &trainable,
          VariableSource *source, const ImportOptions &options) {
  std::map<std::string, const NodeDef *> variables, constants;
  for (const auto &[name, def] : search.trainable) {
    bool isVariable = isVariableOp(def->op());
    // The checkpoint's key of a variable is known when its value was read.
    if (source && isVariable && options.training)
      (void)source->value(name);
    if (isTrained(options, name,
                  trainable.has(name, source ? source->key(name) : "")))
      (isVariable ? variables : constants)[name] = def;
  }
  if (!variables.empty())
    return variables;
  bool isNamed = options.training && !options.training->variables.empty();
  return isNamed ? constants : variables;
}

/// The type that the node declares, or that the checkpoint's tensor has.
static FailureOr<RankedTensorType> typeOf(Report &report, const NodeDef &def,
                                          StringRef name,
                                          VariableSource *source) {
  if (source) {
    FailureOr<ElementsAttr> saved = source->value(name);
    if (failed(saved))
      return failure();
    if (*saved)
      return mlir::cast<RankedTensorType>(saved->getType());
  }
  auto type = def.attr().find("dtype"), shape = def.attr().find("shape");
  Type element = type == def.attr().end()
                     ? Type()
                     : elementType(report.context, type->second.type());
  auto dims = shape == def.attr().end()
                  ? FailureOr<std::optional<SmallVector<int64_t>>>(failure())
                  : shapeOf(shape->second.shape());
  if (!element || failed(dims) || !*dims ||
      ShapedType::isDynamicShape(**dims) || !byteSize(**dims, 8)) {
    report.error(report.node(def.name()), Status::unsupported)
        << "(" << escaped(def.op()) << "): variable '" << escaped(name)
        << "' is assigned, and its type or shape is not known at compile time";
    return failure();
  }
  return RankedTensorType::get(**dims, element);
}

/// The value of a constant that becomes a variable.
static LogicalResult readConstant(Report &report, const NodeDef &def,
                                  Library &library, ElementsAttr &value) {
  auto given = def.attr().find("value");
  if (given == def.attr().end())
    return report.error(report.node(def.name())) << "(Const): has no value";
  // Large contents are moved out of the message: the importer owns it.
  auto &proto = const_cast<::tensorflow::TensorProto &>(given->second.tensor());
  auto [known, isNew] = library.constants.try_emplace(&proto);
  if (isNew) {
    std::string why;
    FailureOr<Constant> read =
        readTensor(report.context, proto, def.name(), why);
    if (failed(read))
      return report.error(report.node(def.name()))
             << "(Const): its constant " << why;
    library.constants[&proto] = *read;
  }
  value = library.constants[&proto].value;
  return success();
}

LogicalResult StateVariables::declare(Report &report, ModuleOp module,
                                      const Graph &graph, Library &library,
                                      VariableSource *source,
                                      const Trainable &trainable,
                                      ArrayRef<Entry> entries,
                                      const ImportOptions &options) {
  Search search(report, library);
  for (const Entry &entry : entries)
    if (failed(search.visitEntry(graph, entry)))
      return failure();
  std::map<std::string, const NodeDef *> trained =
      trainedOf(search, trainable, source, options);
  if (report.status != Status::ok)
    return failure();
  std::vector<std::string> others;
  for (const auto &[name, def] : search.trainable)
    others.push_back(name);
  if (failed(checkTrained(report, options, trained.size(), others)))
    return failure();
  search.found.insert(trained.begin(), trained.end());
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  llvm::StringSet<> keys;
  for (const auto &[name, def] : search.found) {
    ElementsAttr constant;
    if (def->op() == "Const" &&
        failed(readConstant(report, *def, library, constant)))
      return failure();
    FailureOr<RankedTensorType> type =
        constant ? mlir::cast<RankedTensorType>(constant.getType())
                 : typeOf(report, *def, name, source);
    if (failed(type))
      return failure();
    std::string key = source ? source->key(name) : "";
    std::string slice = source ? source->slice(name) : "";
    // Slices of one tensor share its key.
    if (key.empty() || !keys.insert(key + slice).second) {
      keys.insert(key = name);
      slice.clear();
    }
    // Kernels and entries have names in the same table.
    variables[name] = b.create<graph::VariableOp>(
        report.node(def->name()), "var:" + name, *type, constant,
        b.getStringAttr(name),
        key == name ? StringAttr() : b.getStringAttr(key));
    if (!slice.empty())
      attrs::slice.set(variables[name], b.getStringAttr(slice));
    if (trained.count(name))
      markTrained(variables[name]);
  }
  return success();
}

graph::VariableOp StateVariables::find(StringRef name) const {
  auto found = variables.find(name.str());
  return found == variables.end() ? graph::VariableOp() : found->second;
}

} // namespace weir::tensorflow
