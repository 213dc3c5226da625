// The inputs and outputs of a function, as users name them.

#include "tools/reference/Signature.h"

#include "dialects/weir/Attributes.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;

namespace weir::reference {

bool SignatureTensor::isCalled(StringRef given) const {
  return given == name || isSameTensor(given, tensor);
}

/// Describes tensors of these types. `attributesOf` returns the attributes of
/// one, or null.
static std::vector<SignatureTensor>
describe(TypeRange types, StringRef kind,
         function_ref<DictionaryAttr(unsigned)> attributesOf) {
  std::vector<SignatureTensor> all;
  for (auto [i, type] : llvm::enumerate(types)) {
    SignatureTensor &tensor = all.emplace_back();
    StringAttr name = attrs::name.in(attributesOf(i));
    StringAttr inModel = attrs::tensor.in(attributesOf(i));
    // Functions that a person wrote may lack names.
    tensor.name = name ? name.str() : (kind + Twine(i)).str();
    tensor.tensor = inModel ? inModel.str() : tensor.name;
    tensor.type = cast<RankedTensorType>(type);
  }
  for (unsigned i = 0; i < all.size(); ++i) {
    IntegerAttr shapeOf = attrs::shapeOf.in(attributesOf(i));
    if (!shapeOf || shapeOf.getValue().uge(all.size()))
      continue;
    all[i].isSizes = true;
    all[shapeOf.getInt()].sizes = i;
  }
  return all;
}

FileNames fileNamesOf(ArrayRef<SignatureTensor> tensors) {
  FileNames names;
  for (const SignatureTensor &tensor : tensors)
    if (!tensor.isSizes)
      names.add(tensor.name);
  return names;
}

std::vector<SignatureTensor> inputsOf(func::FuncOp function) {
  return describe(function.getArgumentTypes(), "input",
                  [&](unsigned i) { return function.getArgAttrDict(i); });
}

std::vector<SignatureTensor> outputsOf(func::FuncOp function) {
  return describe(function.getResultTypes(), "output",
                  [&](unsigned i) { return function.getResultAttrDict(i); });
}

} // namespace weir::reference
