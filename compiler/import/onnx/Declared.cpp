// Whether values are what a model declares of them.

#include "compiler/import/onnx/Declared.h"

#include "compiler/import/Build.h"
#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/Types.h"
#include "compiler/import/onnx/narrow/Narrow.h"

using namespace mlir;

namespace weir::onnx {

LogicalResult checkElement(Node &node, StringRef name, const Traced &traced) {
  const ::onnx::TypeProto *type = node.scope.graph.declared(name);
  if (!type || !type->has_tensor_type() || !type->tensor_type().elem_type())
    return success();
  int declared = type->tensor_type().elem_type(), given = 0;
  if (auto *narrow = dynamic_cast<Narrow *>(traced.object.get()))
    given = narrow->format.dataType;
  else if (traced.value && !traced.imaginary && !traced.object)
    given = dataTypeOf(typeOf(traced.value).getElementType());
  if (!given || given == declared)
    return success();
  return node.error() << "gives '" << escaped(name) << "' as "
                      << dataTypeName(given) << ", and the model declares "
                      << dataTypeName(declared);
}

std::optional<std::vector<DeclaredDim>>
declaredDims(const Graph &graph, StringRef value, bool hasNames) {
  const ::onnx::TypeProto *type = graph.declared(value);
  if (!type || !type->has_tensor_type())
    return std::nullopt;
  auto dims = dimsOf(type->tensor_type());
  // A malformed shape of a value between nodes has no effect elsewhere either.
  if (failed(dims) || !*dims)
    return std::nullopt;
  std::vector<DeclaredDim> declared;
  for (const Dim &dim : **dims)
    declared.push_back({dim.size, hasNames ? dim.name : ""});
  return declared;
}

LogicalResult checkShape(Report &report, Location at, StringRef name,
                         const ::onnx::TypeProto *type, const Traced &traced) {
  if (!type || !type->has_tensor_type() || !traced.value || traced.object)
    return success();
  auto dims = dimsOf(type->tensor_type());
  if (failed(dims))
    return report.error(at)
           << "output '" << escaped(name) << "' has a malformed shape";
  if (!*dims)
    return success();
  ArrayRef<int64_t> shape = typeOf(traced.value).getShape();
  bool holds = (*dims)->size() == shape.size();
  for (size_t i = 0; holds && i < shape.size(); ++i) {
    int64_t size = (**dims)[i].size;
    // Of a size that only the run knows the type has the bound.
    bool isKnown = traced.extents.empty() || !traced.extents[i];
    holds = ShapedType::isDynamic(size) ||
            (isKnown ? size == shape[i] : size <= shape[i]);
  }
  if (holds)
    return success();
  return report.error(at) << "output '" << escaped(name) << "' is "
                          << typeOf(traced.value) << ", and the model declares "
                          << typeText(report, type)
                          << "; --fetch=" << escaped(name)
                          << " takes it as it is";
}

} // namespace weir::onnx
