// Finds the inputs and outputs of a graph and their types.

#include "compiler/import/tensorflow/Entry.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// A graph without --fetch has at most as many results.
constexpr size_t outputLimit = 1000;

bool isPlaceholder(StringRef op) {
  return op == "Placeholder" || op == "PlaceholderV2" || op == "_Arg";
}

FailureOr<Edge> resolveTensor(Report &report, const Graph &graph,
                              StringRef tensor, StringRef what) {
  auto [name, digits] = tensor.split(':');
  int output = 0;
  if (tensor.contains(':') &&
      (digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
       digits.getAsInteger(10, output))) {
    report.error() << what << " '" << escaped(tensor)
                   << "' is no tensor's name; one is NODE or NODE:RESULT";
    return failure();
  }
  if (std::optional<int> node = graph.find(name))
    return Edge{*node, output};
  report.error() << what << " '" << escaped(tensor)
                 << "': the graph has no such node"
                 << didYouMean(name, graph.names());
  return failure();
}

/// A number of the shape that `--shape` gives for the port.
static const SmallVector<int64_t> *givenShape(const Port &port,
                                              const ImportOptions &options) {
  StringRef node = StringRef(port.tensor).split(':').first;
  for (StringRef name : {StringRef(port.name), StringRef(port.tensor), node}) {
    auto found = options.shapes.find(name);
    if (found != options.shapes.end())
      return &found->second;
  }
  return nullptr;
}

/// The attribute of that name and kind; null where there is none.
static const AttrValue *attribute(const NodeDef &def, StringRef name) {
  auto found = def.attr().find(name.str());
  return found == def.attr().end() ? nullptr : &found->second;
}

/// What the node itself says of the shape.
static const ::tensorflow::TensorShapeProto *ownShape(const NodeDef &def,
                                                      int output) {
  const AttrValue *shapes = attribute(def, "_output_shapes");
  if (shapes && shapes->has_list() && output < shapes->list().shape_size())
    return &shapes->list().shape(output);
  const AttrValue *shape = attribute(def, "shape");
  if (shape && shape->has_shape() && output == 0)
    return &shape->shape();
  return nullptr;
}

int ownType(const NodeDef &def) {
  for (StringRef name : {"dtype", "T"})
    if (const AttrValue *type = attribute(def, name);
        type && type->value_case() == AttrValue::kType)
      return type->type();
  return ::tensorflow::DT_INVALID;
}

static std::string dimsText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape) {
    text += text.empty() ? "" : "x";
    text += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  return text;
}

FailureOr<RankedTensorType>
inputType(Report &report, const Graph &graph, const Port &port,
          const ::tensorflow::TensorShapeProto *shapeProto, int dataType,
          const ImportOptions &options) {
  const NodeDef &def = graph.node(port.edge.node);
  Location at = report.node(def.name());
  if (!shapeProto)
    shapeProto = ownShape(def, port.edge.output);
  if (dataType == ::tensorflow::DT_INVALID)
    dataType = ownType(def);
  std::string hint = "--feed=" + escaped(port.tensor) + ":DIMSxTYPE";
  if (dataType == ::tensorflow::DT_INVALID) {
    report.error(at) << "is fed, but nothing says of which type it is; give it "
                        "with "
                     << hint;
    return failure();
  }
  Type element = elementType(report.context, dataType);
  if (!element) {
    report.error(at, ::tensorflow::DataType_IsValid(dataType)
                         ? Status::unsupported
                         : Status::badInput)
        << "(" << escaped(def.op()) << "): input '" << escaped(port.name)
        << "' is of " << dataTypeName(dataType)
        << ", which weir has no inputs of";
    return failure();
  }
  std::optional<SmallVector<int64_t>> shape;
  if (shapeProto) {
    auto read = shapeOf(*shapeProto);
    if (failed(read)) {
      report.error(at) << "has a malformed shape";
      return failure();
    }
    shape = *read;
  }
  if (const SmallVector<int64_t> *given = givenShape(port, options)) {
    bool fits = !shape || shape->size() == given->size();
    for (size_t i = 0; fits && shape && i < given->size(); ++i)
      fits = ShapedType::isDynamic((*shape)[i]) || (*shape)[i] == (*given)[i];
    if (!fits) {
      report.error(at) << "--shape gives " << dimsText(*given) << " for input '"
                       << escaped(port.name) << "', which is "
                       << dimsText(*shape);
      return failure();
    }
    shape = *given;
  }
  hint = "--shape=" + escaped(port.name) + "=";
  if (!shape) {
    report.error(at) << "the shape of input '" << escaped(port.name)
                     << "' is not known; give it with " << hint
                     << "DIMS, for example " << hint << "1x224x224x3";
    return failure();
  }
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    SmallVector<int64_t> example(*shape);
    for (int64_t &each : example)
      each = ShapedType::isDynamic(each) ? 1 : each;
    InFlightDiagnostic error = report.error(at);
    error << "dimension " << i;
    if (shapeProto && !shapeProto->unknown_rank() &&
        !shapeProto->dim(i).name().empty())
      error << " ('" << escaped(shapeProto->dim(i).name()) << "')";
    error << " of input '" << escaped(port.name) << "' (" << dimsText(*shape)
          << ") is not known; give all of them, for example " << hint
          << dimsText(example);
    return failure();
  }
  if (!byteSize(*shape, element.getIntOrFloatBitWidth() / 8 + 1)) {
    report.error(at, Status::limit) << "input '" << escaped(port.name)
                                    << "' is larger than a tensor may be";
    return failure();
  }
  return RankedTensorType::get(*shape, element);
}

/// Ops whose results no one wants to have fetched.
static bool isNoOutput(const NodeDef &def) {
  return isPlaceholder(def.op()) ||
         llvm::is_contained(
             ArrayRef<StringRef>{"NoOp", "Assert", "Const", "SaveV2",
                                 "RestoreV2", "VarHandleOp", "VariableV2",
                                 "PlaceholderWithDefault", "NextIteration",
                                 "ControlTrigger", "Assign", "AssignVariableOp",
                                 "MergeV2Checkpoints", "ShardedFilename",
                                 "StringJoin"},
             def.op());
}

/// The nodes that pass on what a checkpoint's subgraph reads, or its file
/// names: a graph's own save and restore are no results of it.
static llvm::BitVector checkpointNodes(const Graph &graph) {
  llvm::BitVector found(graph.size());
  SmallVector<SmallVector<int>> users(graph.size());
  SmallVector<int> work;
  for (int i = 0; i < graph.size(); ++i) {
    for (Edge edge : graph.operands(i))
      users[edge.node].push_back(i);
    auto dtype = graph.node(i).attr().find("dtype");
    bool isText = graph.op(i) == "Const" &&
                  dtype != graph.node(i).attr().end() &&
                  dtype->second.type() == ::tensorflow::DT_STRING;
    if (graph.op(i) == "RestoreV2" || isText) {
      found.set(i);
      work.push_back(i);
    }
  }
  while (!work.empty())
    for (int user : users[work.pop_back_val()])
      if (!found.test(user)) {
        found.set(user);
        work.push_back(user);
      }
  return found;
}

FailureOr<Entry> partialEntry(Report &report, const Graph &graph,
                              const ImportOptions &options) {
  Entry entry;
  entry.name = "main";
  SmallVector<Edge> fed;
  for (const Feed &feed : options.feeds) {
    FailureOr<Edge> edge = resolveTensor(report, graph, feed.name, "--feed");
    if (failed(edge))
      return failure();
    if (llvm::is_contained(fed, *edge)) {
      report.error(Status::badUsage)
          << "'" << escaped(feed.name) << "' is fed twice";
      return failure();
    }
    fed.push_back(*edge);
    entry.inputs.push_back({feed.name, feed.name, *edge, feed.type});
  }
  SmallVector<Edge> wanted;
  for (const std::string &fetch : options.fetches) {
    FailureOr<Edge> edge = resolveTensor(report, graph, fetch, "--fetch");
    if (failed(edge))
      return failure();
    entry.outputs.push_back({fetch, fetch, *edge, {}});
    wanted.push_back(*edge);
  }
  if (wanted.empty()) {
    llvm::DenseSet<int> used;
    for (int i = 0; i < graph.size(); ++i)
      for (Edge edge : graph.operands(i))
        used.insert(edge.node);
    llvm::BitVector ofCheckpoint = checkpointNodes(graph);
    auto add = [&](function_ref<bool(int)> isOutput) {
      for (int i = 0; wanted.size() <= outputLimit && i < graph.size(); ++i)
        if (!used.contains(i) && isOutput(i)) {
          std::string name = graph.name(i).str();
          entry.outputs.push_back({name, name, {i, 0}, {}});
          wanted.push_back({i, 0});
        }
    };
    // Such as what writes summaries: left out, where there are other results.
    add([&](int i) {
      return !isNoOutput(graph.node(i)) && isKnownOp(graph.op(i)) &&
             !ofCheckpoint.test(i);
    });
    if (wanted.empty())
      add([&](int i) { return !isNoOutput(graph.node(i)); });
    if (wanted.empty())
      add([&](int i) {
        return graph.op(i) == "Const" || isPlaceholder(graph.op(i));
      });
    if (wanted.size() > outputLimit) {
      report.error() << "the graph has more than " << outputLimit
                     << " results that nothing uses; name those that are "
                        "wanted with --fetch";
      return failure();
    }
    if (wanted.empty()) {
      report.error() << "the graph has no result; name one with --fetch";
      return failure();
    }
  }
  if (options.feeds.empty()) {
    FailureOr<std::vector<int>> order =
        orderNodes(report, graph, wanted, {}, fed);
    if (failed(order))
      return failure();
    std::vector<int> nodes = *order;
    llvm::sort(nodes);
    for (int node : nodes)
      if (isPlaceholder(graph.op(node))) {
        std::string name = graph.name(node).str();
        entry.inputs.push_back({name, name, {node, 0}, {}});
      }
  }
  for (Port &port : entry.inputs) {
    for (std::string *name : {&port.name, &port.tensor})
      if (StringRef(*name).ends_with(":0"))
        name->resize(name->size() - 2);
    if (!StringRef(port.tensor).contains(':'))
      port.tensor += ":0";
    if (!port.type) {
      auto type = inputType(report, graph, port, nullptr,
                            ::tensorflow::DT_INVALID, options);
      if (failed(type))
        return failure();
      port.type = *type;
    }
  }
  for (Port &port : entry.outputs) {
    if (StringRef(port.name).ends_with(":0"))
      port.name.resize(port.name.size() - 2);
    if (!StringRef(port.tensor).contains(':'))
      port.tensor += ":0";
  }
  return entry;
}

} // namespace weir::tensorflow
