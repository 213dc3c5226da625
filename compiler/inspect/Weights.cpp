// Describes the weights of a model.

#include "compiler/inspect/Weights.h"

#include "compiler/Place.h"
#include "compiler/import/Elements.h"
#include "compiler/import/TypeText.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

namespace {

struct Range {
  std::optional<double> least, most;
  bool hasNan = false;

  void see(double value) {
    if (std::isnan(value)) {
      hasNan = true;
      return;
    }
    least = std::min(least.value_or(value), value);
    most = std::max(most.value_or(value), value);
  }
};

} // namespace

template <typename Element>
static void seeAll(DenseElementsAttr dense, Range &range) {
  for (Element value : dense.getValues<Element>())
    range.see(static_cast<double>(value));
}

static Range rangeOf(ElementsAttr value) {
  Range range;
  std::optional<DenseElementsAttr> dense = denseElements(value);
  if (!dense)
    return range;
  Type element = dense->getElementType();
  if (dense->isSplat())
    dense = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                   dense->getSplatValue<Attribute>());
  if (element.isF32()) {
    seeAll<float>(*dense, range);
  } else if (element.isF64()) {
    seeAll<double>(*dense, range);
  } else if (isa<FloatType>(element)) {
    for (const APFloat &each : dense->getValues<APFloat>())
      range.see(each.convertToDouble());
  } else if (auto integer = dyn_cast<IntegerType>(element)) {
    bool isSigned = integer.getWidth() > 1 && !integer.isUnsigned();
    for (const APInt &each : dense->getValues<APInt>())
      range.see(each.roundToDouble(isSigned));
  }
  return range;
}

/// JSON has no infinity.
static json::Value numberOf(double value) {
  if (std::isfinite(value))
    return value;
  return value < 0 ? "-inf" : "inf";
}

void describeWeights(json::Object &description,
                     ArrayRef<ModelSummary::Weight> weights, bool lists) {
  struct Sum {
    int64_t elements = 0, bytes = 0;
  };
  llvm::MapVector<StringRef, Sum> byType;
  Sum all;
  json::Array tensors;
  for (const ModelSummary::Weight &weight : weights) {
    for (Sum *sum : {&all, &byType[weight.element]}) {
      sum->elements = graph::saturatingAdd(sum->elements, weight.elements);
      sum->bytes = graph::saturatingAdd(sum->bytes, weight.bytes);
    }
    if (!lists)
      continue;
    json::Object tensor{{"name", json::fixUTF8(weight.name)},
                        {"type", json::fixUTF8(weight.type)},
                        {"bytes", weight.bytes}};
    if (weight.value) {
      Range range = rangeOf(weight.value);
      if (range.least) {
        tensor["min"] = numberOf(*range.least);
        tensor["max"] = numberOf(*range.most);
      }
      if (range.hasNan)
        tensor["nan"] = true;
    }
    tensors.push_back(std::move(tensor));
  }
  auto sorted = byType.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::tie(b.second.bytes, a.first) <
           std::tie(a.second.bytes, b.first);
  });
  json::Array types;
  for (const auto &[type, sum] : sorted)
    types.push_back(json::Object{{"type", json::fixUTF8(type)},
                                 {"elements", sum.elements},
                                 {"bytes", sum.bytes}});
  description["parameters"] =
      json::Object{{"tensors", static_cast<int64_t>(weights.size())},
                   {"elements", all.elements},
                   {"bytes", all.bytes},
                   {"types", std::move(types)}};
  if (lists)
    description["tensors"] = std::move(tensors);
}

static std::optional<ModelSummary::Weight>
weightOf(const std::string &name, Type type, ElementsAttr value) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape() ||
      !shaped.getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<int64_t> elements = graph::countElements(shaped.getShape());
  if (!elements)
    return std::nullopt;
  ModelSummary::Weight weight;
  weight.name = name;
  weight.type = typeText(shaped.getShape(), shaped.getElementType(), "");
  weight.element = typeText(ArrayRef<int64_t>(), shaped.getElementType(), "");
  weight.elements = *elements;
  weight.bytes = graph::tensorBytes(shaped);
  weight.value = value;
  return weight;
}

std::vector<ModelSummary::Weight> weightsOf(ModuleOp module) {
  std::vector<ModelSummary::Weight> weights;
  auto add = [&](const std::string &name, Type type, ElementsAttr value) {
    if (auto weight = weightOf(name, type, value))
      weights.push_back(std::move(*weight));
  };
  module.walk([&](Operation *op) {
    if (auto constant = dyn_cast<graph::ConstantOp>(op))
      add(nodeOf(op->getLoc()), constant.getType(), constant.getValue());
    else if (auto variable = dyn_cast<graph::VariableOp>(op))
      add(variable.getSymName().str(), variable.getType(), {});
  });
  // From stage `plan` on they are a list.
  if (auto list = attrs::weights.of(module))
    for (auto weight : list.getAsRange<WeightAttr>())
      add("", weight.getElements().getType(), weight.getElements());
  return weights;
}

} // namespace weir
