// Dimensions whose sizes only a run knows, in a description.

#include "compiler/inspect/DynamicDims.h"

#include "compiler/Diagnostics.h"

namespace json = llvm::json;

namespace weir {

static void addRange(json::Array &open, const std::string &name, int64_t low,
                     int64_t high) {
  for (const json::Value &range : open)
    if (range.getAsObject()->getString("name") == name)
      return;
  open.push_back(json::Object{{"name", name}, {"low", low}, {"high", high}});
}

void describeDynamic(json::Object &tensor, json::Array &open,
                     const DynamicShape &shape) {
  json::Array dims;
  for (auto [i, least, most, given] :
       llvm::enumerate(shape.least, shape.most, shape.names)) {
    if (least == most) {
      dims.push_back(most);
      continue;
    }
    std::string name =
        !given.empty()
            ? json::fixUTF8(given)
            : (tensor.getString("name").value_or("") + "." + std::to_string(i))
                  .str();
    dims.push_back(name);
    addRange(open, name, least, most);
  }
  tensor["dims"] = std::move(dims);
  tensor["element"] = shape.element;
}

std::string dynamicText(const json::Object &tensor) {
  const json::Array *dims = tensor.getArray("dims");
  if (!dims)
    return "";
  std::string text;
  for (const json::Value &dim : *dims) {
    if (std::optional<int64_t> size = dim.getAsInteger())
      text += std::to_string(*size);
    else
      text += escaped(dim.getAsString().value_or(""));
    text += " x ";
  }
  return text + tensor.getString("element").value_or("").str();
}

} // namespace weir
