// Finds the inputs and outputs of a model and their types.

#include "compiler/import/onnx/Entry.h"

#include "compiler/import/Fetched.h"
#include "compiler/import/FixedValues.h"
#include "compiler/import/TypeText.h"
#include "compiler/import/bounded/entry/InputDims.h"
#include "compiler/import/onnx/Gradients.h"
#include "compiler/import/onnx/Types.h"
#include "compiler/import/onnx/narrow/Narrow.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;

namespace weir::onnx {

std::string typeText(Report &report, const ::onnx::TypeProto *type) {
  if (!type || !type->has_tensor_type()) {
    if (type && type->has_sequence_type())
      return "sequence";
    return type && type->has_optional_type() ? "optional" : "";
  }
  SmallVector<int64_t> shape;
  auto dims = dimsOf(type->tensor_type());
  bool hasRank = succeeded(dims) && *dims;
  if (hasRank)
    for (const Dim &dim : **dims)
      shape.push_back(dim.size);
  int dataType = type->tensor_type().elem_type();
  return weir::typeText(
      hasRank ? std::optional<ArrayRef<int64_t>>(shape) : std::nullopt,
      elementType(report.context, dataType), dataTypeName(dataType));
}

FailureOr<StringRef> resolveTensor(Report &report, const Graph &graph,
                                   StringRef given, StringRef what) {
  SmallVector<StringRef> names = graph.names();
  for (StringRef name : names)
    if (name == given)
      return name;
  for (StringRef name : names)
    if (isSameTensor(name, given))
      return name;
  // Messages and reports call nodes by their own names.
  SmallVector<StringRef> results = graph.resultsOfNodes(given);
  if (results.size() == 1)
    return results.front();
  auto error = report.error(Status::badUsage);
  error << what << " '" << escaped(given) << "': ";
  if (results.empty())
    error << "the graph has no such tensor" << didYouMean(given, names);
  else
    error << static_cast<unsigned>(results.size())
          << " nodes have this name; name a tensor, such as '"
          << escaped(results.front()) << "'";
  return failure();
}

/// The shape as the model, a feed and `--shape` have it.
static FailureOr<SmallVector<int64_t>>
inputShape(Report &report, Location at, Port &port,
           const ::onnx::TypeProto *type, const ImportOptions &options) {
  std::optional<SmallVector<int64_t>> said;
  if (type && type->has_tensor_type()) {
    auto dims = dimsOf(type->tensor_type());
    if (failed(dims)) {
      report.error(at) << "has a malformed shape";
      return failure();
    }
    if (*dims) {
      said.emplace();
      SmallVector<std::string, 0> names;
      for (const Dim &dim : **dims) {
        said->push_back(dim.size);
        names.push_back(dim.name);
      }
      addDimNames(port, names);
    }
  }
  if (port.type)
    said.emplace(port.type.getShape());
  return joinShape(report, at, port, std::move(said), options);
}

/// The element type, and the format of a narrow one; null after an error.
static Type inputElement(Report &report, Location at, Port &port,
                         const ::onnx::TypeProto *type) {
  if (!type || !type->has_tensor_type()) {
    if (type && (type->has_sequence_type() || type->has_optional_type() ||
                 type->has_map_type() || type->has_sparse_tensor_type()))
      report.error(at, Status::unsupported)
          << "input '" << escaped(port.name)
          << "' is no tensor, and weir has no inputs of other kinds";
    else
      report.error(at) << "nothing says of which type '" << escaped(port.name)
                       << "' is; give it with --feed=" << escaped(port.name)
                       << ":DIMSxTYPE";
    return {};
  }
  int dataType = type->tensor_type().elem_type();
  Type element = elementType(report.context, dataType);
  port.format = formatOf(dataType);
  if (port.format)
    element = IntegerType::get(report.context, 8, IntegerType::Unsigned);
  if (!element)
    report.error(at, ::onnx::TensorProto::DataType_IsValid(dataType) && dataType
                         ? Status::unsupported
                         : Status::badInput)
        << "input '" << escaped(port.name) << "' is of "
        << dataTypeName(dataType)
        << ", which weir has no inputs of; --feed=TENSOR:DIMSxTYPE "
           "takes what is made of it instead";
  return element;
}

/// Sets the type of an input; dynamic dimensions stay dynamic.
static LogicalResult setInputType(Report &report, const Graph &graph,
                                  Port &port, const ImportOptions &options) {
  Location at = report.node(port.name);
  const ::onnx::TypeProto *type = graph.declared(port.name);
  Type element = port.type ? port.type.getElementType()
                           : inputElement(report, at, port, type);
  if (!element)
    return failure();
  auto shape = inputShape(report, at, port, type, options);
  if (failed(shape))
    return failure();
  port.type = RankedTensorType::get(*shape, element);
  return success();
}

/// Several elements of a narrow type share a byte.
static LogicalResult packInput(Report &report, const Graph &graph, Port &port) {
  port.shape = llvm::to_vector(port.type.getShape());
  if (!port.format)
    return success();
  if (!port.dynamicDims.empty()) {
    int dataType = graph.declared(port.name)->tensor_type().elem_type();
    return report.error(report.node(port.name), Status::unsupported)
           << "input '" << escaped(port.name) << "' is of "
           << dataTypeName(dataType)
           << ", of which several elements share a byte: its shape must be "
              "fixed";
  }
  port.type = RankedTensorType::get(packedShape(*port.format, port.shape),
                                    port.type.getElementType());
  return success();
}

/// A shape, or a range, for what there is not is a mistake.
static LogicalResult checkShapes(Report &report, const ImportOptions &options,
                                 const Entry &entry) {
  SmallVector<StringRef> names;
  for (const Port &port : entry.inputs)
    names.push_back(port.name);
  for (const auto &given : options.shapes)
    if (!isFixedInput(options, given.getKey()) &&
        llvm::none_of(names, [&](StringRef name) {
          return isSameTensor(name, given.getKey());
        }))
      return report.error(Status::badUsage)
             << "--shape=" << escaped(given.getKey())
             << ": there is no such input" << didYouMean(given.getKey(), names);
  return checkDims(report, options, entryPorts(entry.inputs));
}

FailureOr<Entry> findEntry(Report &report, const Model &model,
                           const ImportOptions &options) {
  const Graph &graph = model.graph();
  Entry entry;
  SmallVector<StringRef> wanted;
  for (const std::string &fetch : options.fetches) {
    FailureOr<StringRef> name = resolveTensor(report, graph, fetch, "--fetch");
    if (failed(name))
      return failure();
    wanted.push_back(*name);
    entry.outputs.push_back(Port(fetch));
  }
  if (wanted.empty())
    wanted = graph.outputs;
  // What becomes of state need not be an output of the model.
  for (const StateInput &state : options.states) {
    FailureOr<StringRef> name =
        resolveTensor(report, graph, state.output, "--state");
    if (failed(name))
      return failure();
    if (!llvm::is_contained(wanted, *name))
      wanted.push_back(*name);
  }
  entry.outputs.clear();
  llvm::StringSet<> fed;
  for (const Feed &feed : options.feeds) {
    FailureOr<StringRef> name =
        resolveTensor(report, graph, feed.name, "--feed");
    if (failed(name))
      return failure();
    if (!fed.insert(*name).second) {
      report.error(Status::badUsage)
          << "'" << escaped(feed.name) << "' is fed twice";
      return failure();
    }
    entry.inputs.push_back(Port(fedPort(feed, *name)));
  }
  llvm::StringSet<> given;
  for (StringRef name : wanted) {
    if (given.insert(name).second) {
      entry.outputs.push_back(Port(name));
      continue;
    }
    if (!options.fetches.empty()) {
      report.error(Status::badUsage)
          << "'" << escaped(name) << "' is fetched twice";
      return failure();
    }
    report.warning(report.file())
        << "lists output '" << escaped(name)
        << "' more than once; the library returns it once";
  }
  if (options.feeds.empty())
    for (StringRef name : graph.inputs)
      entry.inputs.push_back(Port(name));
  for (Port &port : entry.inputs)
    if ((!port.type || !port.type.hasStaticShape()) &&
        failed(setInputType(report, graph, port, options)))
      return failure();
  MutableArrayRef<Entry> all(entry);
  if (failed(boundEntries(report, options, all)))
    return failure();
  for (Port &port : entry.inputs)
    if (failed(packInput(report, graph, port)))
      return failure();
  if (failed(checkShapes(report, options, entry)))
    return failure();
  return entry;
}

/// The entry of these fetches, some of which may be derived.
static FailureOr<Entry> fetchedEntry(Report &report, const Model &model,
                                     const ImportOptions &options,
                                     const EntryRequest &want,
                                     const Derived<Port> &derived) {
  ImportOptions needed = options;
  needed.fetches.clear();
  std::vector<Fetched> results;
  for (const std::string &fetch : want.fetches) {
    auto found = fetchedNamed(fetch, derived.gradients, options);
    results.push_back(found ? *found
                            : Fetched{Fetched::output, needed.fetches.size()});
    if (!found)
      needed.fetches.push_back(fetch);
  }
  FailureOr<Entry> entry = findEntry(report, model, needed);
  if (failed(entry))
    return failure();
  entry->name = want.name;
  if (results.size() == needed.fetches.size())
    return entry;
  // Without a fetch of its own it has the model's outputs.
  if (needed.fetches.empty())
    entry->outputs.clear();
  entry->results = std::move(results);
  takeDerived(*entry, derived);
  return entry;
}

FailureOr<std::vector<Entry>> findEntries(Report &report, const Model &model,
                                          const ImportOptions &options) {
  FailureOr<Derived<Port>> derived = derivedOf(report, model.graph(), options);
  if (failed(derived))
    return failure();
  std::vector<EntryRequest> all;
  if (options.entries.empty() || !options.fetches.empty())
    all.push_back({"main", options.fetches, {}});
  for (StringRef text : options.entries)
    all.push_back(parseEntry(text));
  std::vector<Entry> entries;
  for (const EntryRequest &want : all) {
    if (!want.targets.empty()) {
      report.error(Status::badUsage)
          << "--entry=" << escaped(want.name) << ": an ONNX model has no nodes "
          << "that run besides; name what the function returns";
      return failure();
    }
    FailureOr<Entry> entry =
        fetchedEntry(report, model, options, want, *derived);
    if (failed(entry))
      return failure();
    entry->takesUsedOnly = !options.entries.empty();
    entries.push_back(std::move(*entry));
  }
  // All entries have the same inputs, of which some are not used.
  std::vector<Port> inputs = entries.front().inputs;
  for (Entry &entry : entriesOf<Entry>(options, *derived)) {
    entry.inputs = inputs;
    entry.takesUsedOnly = options.loss.has_value() || !options.entries.empty();
    entries.push_back(std::move(entry));
  }
  return entries;
}

} // namespace weir::onnx
