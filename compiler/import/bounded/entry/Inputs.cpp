// Inputs of an entry with sizes that only the run knows, and their options.

#include "compiler/import/bounded/entry/Inputs.h"

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"

#include "compiler/Diagnostics.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Sizes.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;

namespace weir {

void markStateInput(const ImportOptions &options, EntryPort &port,
                    bool isInput) {
  for (const StateInput &state : options.states) {
    StringRef called = isInput ? state.input : state.output;
    port.isStateInput |=
        withoutIndex(called) == port.name || isSameTensor(called, port.tensor);
  }
}

static NamedAttrList attributesOf(Builder &b, const Twine &name,
                                  const Twine &tensor) {
  NamedAttrList list;
  attrs::name.addTo(list, b.getStringAttr(name));
  attrs::tensor.addTo(list, b.getStringAttr(tensor));
  return list;
}

DictionaryAttr portAttributes(Builder &b, const EntryPort &port) {
  NamedAttrList list = attributesOf(b, port.name, port.tensor);
  if (!port.strings.empty()) {
    SmallVector<StringRef> strings(port.strings.begin(), port.strings.end());
    attrs::strings.addTo(list, b.getStrArrayAttr(strings));
  }
  if (port.isStateInput)
    attrs::stateInput.addTo(list, b.getUnitAttr());
  return list.getDictionary(b.getContext());
}

DictionaryAttr shapeAttributes(Builder &b, const EntryPort &port, size_t of,
                               ArrayRef<PortDim> dims) {
  NamedAttrList list =
      attributesOf(b, port.name + ".shape", port.tensor + ".shape");
  attrs::shapeOf.addTo(list, b.getI64IntegerAttr(of));
  SmallVector<int64_t> least;
  SmallVector<StringRef> names;
  for (const PortDim &dim : dims) {
    least.push_back(dim.least);
    names.push_back(dim.name);
  }
  attrs::least.addTo(list, b.getDenseI64ArrayAttr(least));
  attrs::dims.addTo(list, b.getStrArrayAttr(names));
  return list.getDictionary(b.getContext());
}

SmallVector<Type> Inputs::types() const {
  SmallVector<Type> all;
  Builder b(context);
  for (const EntryPort *port : ports)
    all.push_back(port->type);
  for (const EntryPort *port : ports)
    if (!port->dynamicDims.empty())
      all.push_back(
          RankedTensorType::get(port->type.getRank(), b.getI64Type()));
  return all;
}

std::string Inputs::fixing() const {
  std::string names, options;
  llvm::StringSet<> named;
  for (const EntryPort *port : ports) {
    if (port->dynamicDims.empty())
      continue;
    std::string sizes;
    for (auto [d, size] : llvm::enumerate(port->type.getShape())) {
      sizes += (d ? "x" : "") + std::to_string(size);
      if (!port->dynamicDims[d])
        continue;
      std::string name = port->dimNames[d].empty()
                             ? port->name + "." + std::to_string(d)
                             : port->dimNames[d];
      if (named.insert(name).second)
        names += (names.empty() ? "'" : ", '") + escaped(name) + "'";
    }
    options += " --shape=" + asArgument(port->name + "=" + sizes);
  }
  return names.empty() ? ""
                       : "only the run knows the dimensions " + names +
                             "; what fixes them:" + options;
}

void Inputs::describe(func::FuncOp entry) const {
  SmallVector<DictionaryAttr> all;
  Builder b(context);
  for (const EntryPort *port : ports)
    all.push_back(portAttributes(b, *port));
  for (auto [i, port] : llvm::enumerate(ports)) {
    if (port->dynamicDims.empty())
      continue;
    SmallVector<PortDim> dims;
    for (auto [d, size] : llvm::enumerate(port->type.getShape()))
      dims.push_back(port->dynamicDims[d]
                         ? PortDim{port->dynamicDims[d]->low, port->dimNames[d]}
                         : PortDim{size, ""});
    all.push_back(shapeAttributes(b, *port, i, dims));
  }
  for (auto [i, dictionary] : llvm::enumerate(all))
    if (ArrayAttr sizes = attrs::sizes.ofArgument(entry, i)) {
      NamedAttrList list(dictionary);
      attrs::sizes.addTo(list, sizes);
      dictionary = list.getDictionary(context);
    }
  // All at once: one by one, each would make a list of all anew.
  entry.setAllArgAttrs(all);
}

Traced Inputs::traced(ImplicitLocOpBuilder &b, Block &block, size_t i,
                      Value value) {
  const EntryPort &port = *ports[i];
  if (port.dynamicDims.empty())
    return {value, {}, nullptr};
  size_t at = ports.size();
  for (const EntryPort *before : ArrayRef(ports).take_front(i))
    at += !before->dynamicDims.empty();
  Value shape = block.getArgument(at);
  Sizes sizes;
  Size count{1, {}};
  for (auto [d, bound] : llvm::enumerate(port.type.getShape())) {
    sizes.push_back(sizeOf(b, port, d, elementOf(b, shape, d)));
    count.bound *= bound;
  }
  if (port.isStateInput)
    return withSizes(value, sizes);
  // Callers give the elements without gaps.
  count.exact = product(b, sizes, 0, sizes.size()).value;
  Value flat = reshapeTo(b, value, {count.bound});
  return reshapeBounded(b, withSizes(flat, {count}), sizes);
}

Size Inputs::sizeOf(ImplicitLocOpBuilder &b, const EntryPort &port, size_t d,
                    Value given) {
  const std::string &name = port.dimNames[d];
  std::string which = "input '" + escaped(port.name) + "': dimension " +
                      std::to_string(d) +
                      (name.empty() ? "" : " ('" + escaped(name) + "')");
  auto check = [&](Expr holds, const Twine &what) {
    b.create<graph::CheckOp>(holds.value, (which + what).str());
  };
  Expr size(b, given);
  if (!port.dynamicDims[d]) {
    int64_t fixed = port.type.getDimSize(d);
    if (!port.isStateInput)
      check(apply<graph::EqualOp>(size, number(b, fixed)),
            " is not " + Twine(fixed));
    return {fixed, {}};
  }
  auto [low, high] = *port.dynamicDims[d];
  Expr least = number(b, low), most = number(b, high);
  check(apply<graph::LogicalAndOp>(apply<graph::GreaterEqualOp>(size, least),
                                   apply<graph::LessEqualOp>(size, most)),
        " is not in [" + Twine(low) + ", " + Twine(high) + "]");
  Size result{high, minimum(maximum(size, least), most).value};
  if (name.empty())
    return result;
  auto [known, isFirst] = named.try_emplace(name, result);
  if (!isFirst && known->second.bound == high) {
    check(apply<graph::EqualOp>(size, Expr(b, known->second.exact)),
          " is not what it is of another input");
    result = known->second;
  }
  return result;
}

} // namespace weir
