// What emission reads of an entry once it is a plan.

#include "passes/plan/Signature.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir {

static Attribute describeTensor(DictionaryAttr attributes, Type type) {
  NamedAttrList list;
  for (StringRef key :
       {"name", "tensor", "shape_of", "least", "dims", "strings"})
    if (Attribute value =
            attributes ? attributes.get(("weir." + key).str()) : Attribute())
      list.set(key, value);
  list.set("type", TypeAttr::get(type));
  return list.getDictionary(type.getContext());
}

Attribute describeEntry(func::FuncOp entry, StringAttr name,
                        plan::ProgramOp program) {
  Builder b(entry.getContext());
  SmallVector<Attribute> inputs, outputs;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    inputs.push_back(describeTensor(entry.getArgAttrDict(i), type));
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    outputs.push_back(describeTensor(entry.getResultAttrDict(i), type));
  NamedAttrList list;
  list.set("name", name);
  list.set("symbol", program.getSymNameAttr());
  list.set("inputs", b.getArrayAttr(inputs));
  list.set("outputs", b.getArrayAttr(outputs));
  if (!program.getBody().front().getOps<plan::StateOp>().empty())
    list.set("state", b.getUnitAttr());
  if (attrs::init.isOn(entry))
    list.set("init", b.getUnitAttr());
  return list.getDictionary(b.getContext());
}

} // namespace weir
