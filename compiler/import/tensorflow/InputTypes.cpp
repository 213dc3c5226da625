// The types of an entry's inputs: what the model says of them, and what the
// options add.

#include "compiler/import/Elements.h"
#include "compiler/import/Names.h"
#include "compiler/import/tensorflow/Entry.h"

#include <cmath>

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;
using ::tensorflow::TensorShapeProto;

namespace weir::tensorflow {

/// A dimension that nothing bounds has at most this size, less where the input
/// would then have more elements than ImportOptions::boundedElements.
constexpr int64_t defaultDimBound = 128;

/// The shape that `--shape` gives for the port; null where it gives none.
static const SmallVector<int64_t> *givenShape(const Port &port,
                                              const ImportOptions &options) {
  for (const std::string &name : namesOf(port))
    if (auto found = options.shapes.find(name); found != options.shapes.end())
      return &found->second;
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
  shapes = isIterator(def.op()) ? attribute(def, "output_shapes") : nullptr;
  if (shapes && shapes->has_list() && output < shapes->list().shape_size())
    return &shapes->list().shape(output);
  const AttrValue *shape = attribute(def, "shape");
  if (shape && shape->has_shape() && output == 0)
    return &shape->shape();
  return nullptr;
}

int ownType(const NodeDef &def) {
  for (StringRef name : {"dtype", "T"})
    if (const AttrValue *type = attribute(def, name); type && type->has_type())
      return type->type();
  return ::tensorflow::DT_INVALID;
}

/// The element type; null after an error.
static Type inputElement(Report &report, const NodeDef &def, const Port &port,
                         int dataType) {
  Location at = report.node(def.name());
  const AttrValue *types =
      isIterator(def.op()) ? attribute(def, "output_types") : nullptr;
  if (dataType == ::tensorflow::DT_INVALID)
    dataType = types && types->has_list() &&
                       port.edge.output < types->list().type_size()
                   ? types->list().type(port.edge.output)
                   : ownType(def);
  if (dataType == ::tensorflow::DT_INVALID) {
    report.error(at) << "is fed, but nothing says of which type it is; give it "
                        "with --feed="
                     << escaped(port.tensor) << ":DIMSxTYPE";
    return {};
  }
  Type element = elementType(report.context, dataType);
  if (!element)
    report.error(at, ::tensorflow::DataType_IsValid(dataType)
                         ? Status::unsupported
                         : Status::badInput)
        << "(" << escaped(def.op()) << "): input '" << escaped(port.name)
        << "' is of " << dataTypeName(dataType)
        << ", which weir has no inputs of; --feed=TENSOR:DIMSxTYPE "
           "takes what is made of it instead";
  return element;
}

/// The shape, with what `--shape` fixes of it.
static FailureOr<SmallVector<int64_t>>
inputShape(Report &report, Location at, const Port &port,
           const TensorShapeProto *proto, const ImportOptions &options) {
  std::optional<SmallVector<int64_t>> shape;
  if (proto) {
    auto read = shapeOf(*proto);
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
                       << (shape->empty() ? "a scalar" : dimsText(*shape));
      return failure();
    }
    shape = *given;
  }
  if (!shape) {
    std::string hint = "--shape=" + escaped(port.name) + "=";
    report.error(at) << "the shape of input '" << escaped(port.name)
                     << "' is not known; give it with " << hint
                     << "DIMS, for example " << hint << "1x224x224x3";
    return failure();
  }
  return *shape;
}

/// Gives the open dimensions of the shape bounds.
static void boundDims(Report &report, Location at, Port &port,
                      SmallVector<int64_t> &shape,
                      const ImportOptions &options) {
  SmallVector<int64_t> said(shape);
  double room = static_cast<double>(options.boundedElements);
  int64_t open = 0;
  port.open.assign(shape.size(), std::nullopt);
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size)) {
      if (const DimRange *range = rangeOf(port, i, options)) {
        port.open[i] = *range;
        size = range->high;
      }
    }
    if (ShapedType::isDynamic(size))
      ++open;
    else
      room /= std::max<double>(static_cast<double>(size), 1);
  }
  auto share = static_cast<int64_t>(
      std::pow(std::max(room, 1.0), 1.0 / std::max<int64_t>(open, 1)) + 1e-9);
  share = std::clamp<int64_t>(share, 1, defaultDimBound);
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    port.open[i] = {0, share};
    size = share;
    InFlightDiagnostic warning = report.warning(at);
    warning << "dimension " << i;
    if (!port.dimNames[i].empty())
      warning << " ('" << escaped(port.dimNames[i]) << "')";
    SmallVector<int64_t> example(said);
    for (int64_t &each : example)
      each = ShapedType::isDynamic(each) ? 1 : each;
    warning << " of input '" << escaped(port.name) << "' (" << dimsText(said)
            << ") is not known: there is room for " << share
            << "; --dim=" << escaped(port.name) << "." << i
            << "=1..N gives it other room, and --shape=" << escaped(port.name)
            << "=" << dimsText(example) << ", say, fixes all, for more speed";
  }
  if (llvm::none_of(port.open, [](const auto &range) { return !!range; }))
    port.open.clear();
}

LogicalResult setInputType(Report &report, const Graph &graph, Port &port,
                           const TensorShapeProto *shapeProto, int dataType,
                           const ImportOptions &options) {
  const NodeDef &def = graph.node(port.edge.node);
  Location at = report.node(def.name());
  if (!shapeProto)
    shapeProto = ownShape(def, port.edge.output);
  Type element = port.type ? port.type.getElementType()
                           : inputElement(report, def, port, dataType);
  if (!element)
    return failure();
  FailureOr<SmallVector<int64_t>> shape =
      port.type ? SmallVector<int64_t>(port.type.getShape())
                : inputShape(report, at, port, shapeProto, options);
  if (failed(shape))
    return failure();
  port.dimNames.assign(shape->size(), "");
  if (shapeProto && !shapeProto->unknown_rank())
    for (int i = 0; i < shapeProto->dim_size(); ++i)
      if (static_cast<size_t>(i) < shape->size())
        port.dimNames[i] = shapeProto->dim(i).name();
  boundDims(report, at, port, *shape, options);
  if (!byteSize(*shape, element.getIntOrFloatBitWidth() / 8 + 1))
    return report.error(at, Status::limit)
           << "input '" << escaped(port.name)
           << "' is larger than a tensor may be";
  port.type = RankedTensorType::get(*shape, element);
  return success();
}

} // namespace weir::tensorflow
