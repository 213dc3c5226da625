// The records of weights that ranks have parts of.

#include "dialects/weir/Records.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace weir {

using Emit = function_ref<InFlightDiagnostic()>;

LogicalResult PartsAttr::verify(Emit emitError, int64_t axes,
                                ArrayAttr elements) {
  if (axes < 1 || axes > INT32_MAX)
    return emitError() << "axes must be from 1 to " << INT32_MAX << ", not "
                       << axes;
  Type type;
  for (Attribute each : elements) {
    auto part = llvm::dyn_cast<ElementsAttr>(each);
    if (!part || llvm::isa<PartsAttr>(part))
      return emitError() << "each part is a constant, not " << each;
    if (type && part.getType() != type)
      return emitError() << "parts have one type, not " << type << " and "
                         << part.getType();
    type = part.getType();
  }
  if (!type)
    return emitError() << "there is no part";
  return success();
}

ShapedType PartsAttr::getType() const {
  return llvm::cast<ElementsAttr>(getElements()[0]).getShapedType();
}

SmallVector<ElementsAttr, 1> PartsAttr::of(ElementsAttr value) {
  auto parts = llvm::dyn_cast<PartsAttr>(value);
  if (!parts)
    return {value};
  return llvm::to_vector<1>(parts.getElements().getAsRange<ElementsAttr>());
}

ElementsAttr PartsAttr::replace(ElementsAttr value,
                                ArrayRef<ElementsAttr> parts) {
  auto before = llvm::dyn_cast<PartsAttr>(value);
  if (!before)
    return parts.front();
  return get(
      value.getContext(), before.getAxes(),
      ArrayAttr::get(value.getContext(),
                     SmallVector<Attribute>(parts.begin(), parts.end())));
}

LogicalResult WeightRegionAttr::verify(Emit emitError, int64_t axes,
                                       int64_t offset, int64_t stride) {
  if (axes < 1 || axes > INT32_MAX)
    return emitError() << "axes must be from 1 to " << INT32_MAX << ", not "
                       << axes;
  for (auto [name, value] :
       {std::pair("offset", offset), std::pair("stride", stride)})
    if (value < 0 || value % 64)
      return emitError() << name << " must be a multiple of 64, not " << value;
  return success();
}

} // namespace weir
