// Inputs of an entry with sizes that only the run knows, and their options.

#include "compiler/import/bounded/Inputs.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

SmallVector<std::string> namesOf(const EntryPort &port) {
  return {port.name, port.tensor,
          StringRef(port.tensor).split(':').first.str()};
}

SmallVector<std::string> dimNamesOf(const EntryPort &port, size_t i) {
  SmallVector<std::string> names;
  if (!port.dimNames[i].empty())
    names.push_back(port.dimNames[i]);
  for (const std::string &name : namesOf(port))
    names.push_back(name + "." + std::to_string(i));
  return names;
}

void markHeld(const ImportOptions &options, EntryPort &port, bool isInput) {
  for (const HeldState &state : options.states) {
    StringRef called = isInput ? state.input : state.output;
    StringRef tensor = port.tensor;
    called.consume_back(":0");
    tensor.consume_back(":0");
    port.isHeld |= called == port.name || called == tensor;
  }
}

const DimRange *rangeOf(const EntryPort &port, size_t i,
                        const ImportOptions &options) {
  for (const std::string &name : dimNamesOf(port, i))
    if (auto found = options.dims.find(name); found != options.dims.end())
      return &found->second;
  return nullptr;
}

LogicalResult checkDims(Report &report, const ImportOptions &options,
                        ArrayRef<const EntryPort *> inputs) {
  std::vector<std::string> dims;
  for (const EntryPort *port : inputs)
    for (auto [i, range] : llvm::enumerate(port->open))
      if (range)
        llvm::append_range(dims, dimNamesOf(*port, i));
  SmallVector<StringRef> names(dims.begin(), dims.end());
  for (const auto &given : options.dims)
    if (!llvm::is_contained(names, given.getKey())) {
      report.error(Status::badUsage)
          << "--dim=" << escaped(given.getKey())
          << ": no input has such a dimension that is not fixed"
          << didYouMean(given.getKey(), names);
      return failure();
    }
  if (!options.specialization)
    return success();
  const Specialization &versions = *options.specialization;
  auto range = options.dims.find(versions.dim);
  if (range == options.dims.end())
    return report.error(Status::badUsage)
           << "--specialize=" << escaped(versions.dim)
           << ": --dim gives no dimension of that name a range";
  for (int64_t size : versions.sizes)
    if (size < range->second.low || size > range->second.high)
      return report.error(Status::badUsage)
             << "--specialize=" << escaped(versions.dim) << ":" << size
             << ": --dim has it in [" << range->second.low << ", "
             << range->second.high << "]";
  return success();
}

static NamedAttrList attributesOf(Builder &b, const Twine &name,
                                  const Twine &tensor) {
  NamedAttrList list;
  list.set("weir.name", b.getStringAttr(name));
  list.set("weir.tensor", b.getStringAttr(tensor));
  return list;
}

DictionaryAttr portAttributes(Builder &b, const EntryPort &port) {
  NamedAttrList list = attributesOf(b, port.name, port.tensor);
  if (port.isHeld)
    list.set("weir.held", b.getUnitAttr());
  return list.getDictionary(b.getContext());
}

DictionaryAttr shapeAttributes(Builder &b, const EntryPort &port, size_t of) {
  NamedAttrList list =
      attributesOf(b, port.name + ".shape", port.tensor + ".shape");
  list.set("weir.shape_of", b.getI64IntegerAttr(of));
  return list.getDictionary(b.getContext());
}

SmallVector<Type> Inputs::types() const {
  SmallVector<Type> all;
  Builder b(context);
  for (const EntryPort *port : ports)
    all.push_back(port->type);
  for (const EntryPort *port : ports)
    if (!port->open.empty())
      all.push_back(
          RankedTensorType::get(port->type.getRank(), b.getI64Type()));
  return all;
}

SmallVector<DictionaryAttr> Inputs::attributes() const {
  SmallVector<DictionaryAttr> all;
  Builder b(context);
  for (const EntryPort *port : ports)
    all.push_back(portAttributes(b, *port));
  for (auto [i, port] : llvm::enumerate(ports)) {
    if (port->open.empty())
      continue;
    NamedAttrList list(shapeAttributes(b, *port, i));
    SmallVector<int64_t> least(port->type.getShape());
    for (auto [size, range] : llvm::zip_equal(least, port->open))
      size = range ? range->low : size;
    if (port->isHeld)
      list.set("weir.least", b.getDenseI64ArrayAttr(least));
    all.push_back(list.getDictionary(context));
  }
  return all;
}

Traced Inputs::traced(ImplicitLocOpBuilder &b, Block &block, size_t i,
                      Value value) {
  const EntryPort &port = *ports[i];
  if (port.open.empty())
    return {value, {}, nullptr};
  size_t at = ports.size();
  for (const EntryPort *before : ArrayRef(ports).take_front(i))
    at += !before->open.empty();
  Value shape = block.getArgument(at);
  Sizes sizes;
  Size count{1, {}};
  for (auto [d, bound] : llvm::enumerate(port.type.getShape())) {
    sizes.push_back(sizeOf(b, port, d, elementOf(b, shape, d)));
    count.bound *= bound;
  }
  if (port.isHeld)
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
  if (!port.open[d]) {
    int64_t fixed = port.type.getDimSize(d);
    if (!port.isHeld)
      check(apply<graph::EqualOp>(size, number(b, fixed)),
            " is not " + Twine(fixed));
    return {fixed, {}};
  }
  auto [low, high] = *port.open[d];
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
