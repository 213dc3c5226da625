// Finds the inputs and outputs of a model and their types.

#include "compiler/import/onnx/Entry.h"

#include "compiler/import/Elements.h"
#include "compiler/import/onnx/narrow/Narrow.h"

using namespace mlir;

namespace weir::onnx {

std::string typeText(Report &report, const ::onnx::TypeProto *type) {
  if (!type || !type->has_tensor_type()) {
    if (type && type->has_sequence_type())
      return "sequence";
    return type && type->has_optional_type() ? "optional" : "";
  }
  std::string text;
  auto dims = dimsOf(type->tensor_type());
  if (failed(dims) || !*dims)
    text = "*x";
  else
    for (const Dim &dim : **dims)
      text +=
          (ShapedType::isDynamic(dim.size) ? "?" : std::to_string(dim.size)) +
          "x";
  int dataType = type->tensor_type().elem_type();
  llvm::raw_string_ostream os(text);
  if (Type element = elementType(report.context, dataType))
    os << element;
  else
    os << dataTypeName(dataType);
  return text;
}

/// What options call a tensor: they take `x:0` for `x`.
static bool isCalled(StringRef name, StringRef given) {
  return name == given ||
         (name.ends_with(":0") && name.drop_back(2) == given) ||
         (given.ends_with(":0") && given.drop_back(2) == name);
}

FailureOr<StringRef> resolveTensor(Report &report, const Graph &graph,
                                   StringRef given, StringRef what) {
  SmallVector<StringRef> names = graph.names();
  for (StringRef name : names)
    if (name == given)
      return name;
  for (StringRef name : names)
    if (isCalled(name, given))
      return name;
  report.error(Status::badUsage)
      << what << " '" << escaped(given) << "': the graph has no such tensor"
      << didYouMean(given, names);
  return failure();
}

/// The shape, with what `--shape` fixes of it and `--dim` bounds.
static FailureOr<SmallVector<int64_t>>
inputShape(Report &report, Location at, Port &port,
           const ::onnx::TypeProto::Tensor &type,
           const ImportOptions &options) {
  auto dims = dimsOf(type);
  if (failed(dims)) {
    report.error(at) << "has a malformed shape";
    return failure();
  }
  SmallVector<int64_t> shape;
  bool isOpen = !*dims;
  if (*dims)
    for (const Dim &dim : **dims) {
      shape.push_back(dim.size);
      port.dimNames.push_back(dim.name);
    }
  StringRef name = port.name;
  std::string hint = "--shape=" + escaped(name) + "=";
  for (const auto &given : options.shapes) {
    if (!isCalled(name, given.getKey()))
      continue;
    bool fits = isOpen || shape.size() == given.second.size();
    for (size_t i = 0; fits && !isOpen && i < shape.size(); ++i)
      fits = ShapedType::isDynamic(shape[i]) || shape[i] == given.second[i];
    if (!fits) {
      report.error(at) << "--shape gives " << dimsText(given.second)
                       << " for input '" << escaped(name) << "', which is "
                       << (shape.empty() ? "a scalar" : dimsText(shape));
      return failure();
    }
    return given.second;
  }
  if (isOpen) {
    report.error(at) << "the shape of input '" << escaped(name)
                     << "' is not known; give it with " << hint
                     << "DIMS, for example " << hint << "1x224x224x3";
    return failure();
  }
  SmallVector<int64_t> said(shape);
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    if (const DimRange *range = rangeOf(port, i, options)) {
      port.open.resize(shape.size());
      port.open[i] = *range;
      size = range->high;
      continue;
    }
    SmallVector<int64_t> example(said);
    for (int64_t &each : example)
      each = ShapedType::isDynamic(each) ? 1 : each;
    const std::string &called = port.dimNames[i];
    InFlightDiagnostic error = report.error(at);
    error << "dimension " << i;
    if (!called.empty())
      error << " ('" << escaped(called) << "')";
    error << " of input '" << escaped(name) << "' (" << dimsText(said)
          << ") is not known; give the shape with " << hint << dimsText(example)
          << ", say, or a range with --dim="
          << (called.empty() ? escaped(name) + "." + std::to_string(i)
                             : escaped(called))
          << "=1..64";
    return failure();
  }
  return shape;
}

static LogicalResult setInputType(Report &report, const Graph &graph,
                                  Port &port, const ImportOptions &options) {
  Location at = report.node(port.name);
  const ::onnx::TypeProto *type = graph.declared(port.name);
  if (!type || !type->has_tensor_type()) {
    if (type && (type->has_sequence_type() || type->has_optional_type() ||
                 type->has_map_type() || type->has_sparse_tensor_type()))
      return report.error(at, Status::unsupported)
             << "input '" << escaped(port.name)
             << "' is no tensor, and weir has no inputs of other kinds";
    return report.error(at) << "nothing says of which type '"
                            << escaped(port.name) << "' is; give it with "
                            << "--feed=" << escaped(port.name) << ":DIMSxTYPE";
  }
  int dataType = type->tensor_type().elem_type();
  Type element = elementType(report.context, dataType);
  port.format = formatOf(dataType);
  if (port.format)
    element = IntegerType::get(report.context, 8, IntegerType::Unsigned);
  if (!element)
    return report.error(at, ::onnx::TensorProto::DataType_IsValid(dataType) &&
                                    dataType
                                ? Status::unsupported
                                : Status::badInput)
           << "input '" << escaped(port.name) << "' is of "
           << dataTypeName(dataType)
           << ", which weir has no inputs of; --feed=TENSOR:DIMSxTYPE "
              "takes what is made of it instead";
  auto shape = inputShape(report, at, port, type->tensor_type(), options);
  if (failed(shape))
    return failure();
  if (!byteSize(*shape, elementBytes(element)))
    return report.error(at, Status::limit)
           << "input '" << escaped(port.name)
           << "' is larger than a tensor may be";
  if (port.format && !port.open.empty())
    return report.error(at, Status::unsupported)
           << "input '" << escaped(port.name) << "' is of "
           << dataTypeName(dataType)
           << ", of which several elements share a byte: its shape must be "
              "fixed";
  port.shape = *shape;
  if (port.format)
    *shape = packedShape(*port.format, *shape);
  port.type = RankedTensorType::get(*shape, element);
  return success();
}

/// A shape, or a range, for what there is not is a mistake.
static LogicalResult checkShapes(Report &report, const ImportOptions &options,
                                 const Entry &entry) {
  SmallVector<StringRef> names;
  for (const Port &port : entry.inputs)
    names.push_back(port.name);
  for (const auto &given : options.shapes)
    if (llvm::none_of(names, [&](StringRef name) {
          return isCalled(name, given.getKey());
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
  for (const HeldState &state : options.states) {
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
    entry.inputs.push_back(Port(*name, feed.type));
  }
  llvm::StringSet<> given;
  for (StringRef name : wanted) {
    if (!given.insert(name).second) {
      report.error() << "output '" << escaped(name) << "' is there twice";
      return failure();
    }
    entry.outputs.push_back(Port(name));
  }
  if (options.feeds.empty())
    for (StringRef name : graph.inputs)
      entry.inputs.push_back(Port(name));
  for (Port &port : entry.inputs)
    if ((!port.type || !port.type.hasStaticShape()) &&
        failed(setInputType(report, graph, port, options)))
      return failure();
  if (failed(checkShapes(report, options, entry)))
    return failure();
  return entry;
}

} // namespace weir::onnx
