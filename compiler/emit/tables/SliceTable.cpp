// Emits the table of slices.

#include "compiler/emit/Names.h"
#include "compiler/emit/Tables.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace weir {

static Constant *constant(Module &module, Constant *value, const Twine &name) {
  return new GlobalVariable(module, value->getType(), true,
                            GlobalValue::PrivateLinkage, value, name);
}

static Constant *numbers(Module &module, ArrayRef<int64_t> values) {
  SmallVector<uint64_t> all(values.begin(), values.end());
  return constant(module, ConstantDataArray::get(module.getContext(), all),
                  globals::sizes);
}

static Constant *bytes(Module &module, StringRef text) {
  return constant(module,
                  ConstantDataArray::getString(module.getContext(), text,
                                               /*AddNull=*/false),
                  globals::key);
}

/// The entry behind its type of the tensor that the variable `first` and those
/// after it with its key are slices of.
static std::string entryOf(ArrayRef<VariableInterface> variables,
                           size_t first) {
  SmallVector<Slice> slices;
  for (size_t i = first;
       i < variables.size() && variables[i].key == variables[first].key; ++i)
    slices.push_back(*variables[i].slice);
  return sliceEntry(slices);
}

Constant *addSliceTable(Module &module, const ModelInterface &model) {
  LLVMContext &context = module.getContext();
  PointerType *ptr = PointerType::get(context, 0);
  Constant *null = ConstantPointerNull::get(ptr);
  auto size = [&](size_t value) {
    return ConstantInt::get(Type::getInt64Ty(context), value);
  };
  ArrayRef<VariableInterface> variables = model.variables;
  if (none_of(variables, [](const auto &one) { return one.slice; }))
    return null;
  SmallVector<Constant *> items;
  for (auto [i, one] : enumerate(variables)) {
    Constant *sizes = null, *starts = null, *key = null, *whole = null;
    size_t wholeBytes = 0;
    if (one.slice) {
      sizes = numbers(module, one.slice->sizes);
      starts = numbers(module, one.slice->starts);
      key = bytes(module, one.sliceKey);
      if (i == 0 || variables[i - 1].key != one.key) {
        std::string entry = entryOf(variables, i);
        whole = bytes(module, entry);
        wholeBytes = entry.size();
      }
    }
    items.push_back(ConstantStruct::getAnon(
        context, {sizes, starts, key, size(one.sliceKey.size()), whole,
                  size(wholeBytes)}));
  }
  auto *type = ArrayType::get(items[0]->getType(), items.size());
  return constant(module, ConstantArray::get(type, items), globals::slices);
}

} // namespace weir
