// Constants of the structs that the runtime reads, in LLVM IR.

#include "compiler/emit/tables/Constants.h"

using namespace llvm;

namespace weir {

Constant *ConstantBuilder::constant(Constant *value, const Twine &name) {
  return new GlobalVariable(module, value->getType(), true,
                            GlobalValue::PrivateLinkage, value, name);
}

Constant *ConstantBuilder::text(StringRef value) {
  auto *global = cast<GlobalVariable>(
      constant(ConstantDataArray::getString(context, value), globals::text));
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  global->setAlignment(Align(1));
  return global;
}

Constant *ConstantBuilder::cText(StringRef value) {
  std::string plain = value.str();
  std::replace(plain.begin(), plain.end(), '\0', '?');
  return text(plain);
}

Constant *ConstantBuilder::list(ArrayRef<Constant *> items, const Twine &name) {
  if (items.empty())
    return null();
  auto *type = ArrayType::get(items[0]->getType(), items.size());
  return constant(ConstantArray::get(type, items), name);
}

} // namespace weir
