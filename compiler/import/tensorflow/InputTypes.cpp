// The types of an entry's inputs: what the model says of them, and what the
// options add.

#include "compiler/import/tensorflow/InputTypes.h"

#include "compiler/import/Names.h"
#include "compiler/import/bounded/entry/InputDims.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Types.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NodeDef;
using ::tensorflow::TensorShapeProto;

namespace weir::tensorflow {

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

std::optional<std::vector<DeclaredDim>> declaredDims(const NodeDef &def,
                                                     size_t output) {
  const AttrValue *shapes = attribute(def, "_output_shapes");
  if (!shapes || !shapes->has_list() ||
      output >= static_cast<size_t>(shapes->list().shape_size()))
    return std::nullopt;
  const auto &shape = shapes->list().shape(static_cast<int>(output));
  if (shape.unknown_rank())
    return std::nullopt;
  std::vector<DeclaredDim> declared;
  for (const auto &dim : shape.dim())
    declared.push_back(
        {dim.size() < 0 ? ShapedType::kDynamic : dim.size(), ""});
  return declared;
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

/// The shape as the model has it; nothing where its rank is not known.
static FailureOr<std::optional<SmallVector<int64_t>>>
ownShape(Report &report, Location at, const TensorShapeProto *proto) {
  if (!proto)
    return std::optional<SmallVector<int64_t>>();
  auto read = shapeOf(*proto);
  if (failed(read))
    report.error(at) << "has a malformed shape";
  return read;
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
  FailureOr<std::optional<SmallVector<int64_t>>> own =
      ownShape(report, at, shapeProto);
  if (failed(own))
    return failure();
  SmallVector<std::string, 0> names;
  if (*own)
    for (const auto &dim : shapeProto->dim())
      names.push_back(dim.name());
  if (port.type)
    own->emplace(port.type.getShape());
  addDimNames(port, names);
  FailureOr<SmallVector<int64_t>> shape =
      joinShape(report, at, port, std::move(*own), options);
  if (failed(shape))
    return failure();
  port.type = RankedTensorType::get(*shape, element);
  return success();
}

} // namespace weir::tensorflow
