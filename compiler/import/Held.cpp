// Makes variables of inputs, and assignments of outputs.

#include "compiler/import/Held.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using mlir::func::FuncOp;

namespace weir {

std::string parseStates(StringRef text, ImportOptions &options) {
  SmallVector<StringRef> pairs;
  text.split(pairs, ',');
  for (StringRef pair : pairs) {
    auto [input, output] = pair.split('=');
    if (input.empty() || output.empty())
      return "is not INPUT=OUTPUT,..., as in past_key=present_key";
    for (const HeldState &before : options.states) {
      if (before.input == input)
        return "names '" + escaped(input) + "' twice";
      if (before.output == output)
        return "names '" + escaped(output) + "' twice";
    }
    options.states.push_back({input.str(), output.str()});
  }
  return "";
}

namespace {

StringRef textOf(DictionaryAttr attributes, StringRef key) {
  auto text = attributes.getAs<StringAttr>(key);
  return text ? text.getValue() : StringRef();
}

/// Whether it holds the sizes of another argument or result.
bool isShape(DictionaryAttr attributes) {
  return attributes.contains("weir.shape_of");
}

/// The arguments or the results of an entry.
struct Side {
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Type> types;

  static Side inputs(FuncOp entry) {
    Side side;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      side.attributes.push_back(entry.getArgAttrDict(i));
    llvm::append_range(side.types, entry.getArgumentTypes());
    return side;
  }
  static Side outputs(FuncOp entry) {
    Side side;
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      side.attributes.push_back(entry.getResultAttrDict(i));
    llvm::append_range(side.types, entry.getResultTypes());
    return side;
  }

  /// Options call a tensor by its name, its tensor's or its node's.
  std::optional<unsigned> find(StringRef wanted) const {
    wanted.consume_back(":0");
    for (auto [i, each] : llvm::enumerate(attributes)) {
      StringRef tensor = textOf(each, "weir.tensor");
      tensor.consume_back(":0");
      if (!isShape(each) &&
          (wanted == textOf(each, "weir.name") || wanted == tensor))
        return i;
    }
    return std::nullopt;
  }
  void addNames(SmallVectorImpl<StringRef> &names) const {
    for (DictionaryAttr each : attributes)
      if (!isShape(each))
        names.push_back(textOf(each, "weir.name"));
  }
  /// Whether number `i` has sizes that only the run knows.
  bool isOpen(unsigned i) const {
    return llvm::any_of(attributes, [&](DictionaryAttr each) {
      auto of = each.getAs<IntegerAttr>("weir.shape_of");
      return of && of.getInt() == i;
    });
  }
  /// The attributes of what is left when number `i` has gone, those that were
  /// behind it counting anew.
  SmallVector<DictionaryAttr> without(unsigned i) const {
    SmallVector<DictionaryAttr> left;
    for (auto [at, each] : llvm::enumerate(attributes)) {
      NamedAttrList list(each);
      auto of = each.getAs<IntegerAttr>("weir.shape_of");
      if (of && of.getInt() > i)
        list.set("weir.shape_of",
                 IntegerAttr::get(of.getType(), of.getInt() - 1));
      if (at != i)
        left.push_back(list.getDictionary(each.getContext()));
    }
    return left;
  }
};

/// One input that becomes a variable.
class Holder {
public:
  Holder(Report &report, ModuleOp module, const HeldState &state)
      : report(report), module(module), state(state) {
    for (auto entry : module.getOps<FuncOp>())
      if (entry->hasAttr("weir.entry"))
        entries.push_back(entry);
  }

  LogicalResult run(bool hasInit) {
    if (failed(findInput()) || failed(checkOutputs()))
      return failure();
    for (auto variable : module.getOps<graph::VariableOp>())
      if (variable.nameInModel() == name)
        return say() << "the model has a variable that is called so";
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    ElementsAttr zeros =
        hasInit ? cast<ElementsAttr>(b.getZeroAttr(type)) : ElementsAttr();
    variable = b.create<graph::VariableOp>(report.node(state.input),
                                           "state:" + name, type, zeros,
                                           b.getStringAttr(name), StringAttr());
    for (FuncOp entry : entries) {
      assign(entry);
      read(entry);
    }
    return success();
  }

private:
  InFlightDiagnostic say(Status kind = Status::badUsage) {
    InFlightDiagnostic error = report.error(kind);
    error << "--state=" << escaped(state.input) << "=" << escaped(state.output)
          << ": ";
    return error;
  }

  LogicalResult findInput() {
    SmallVector<StringRef> names;
    for (FuncOp entry : entries) {
      Side inputs = Side::inputs(entry);
      inputs.addNames(names);
      std::optional<unsigned> at = inputs.find(state.input);
      if (!at)
        continue;
      if (inputs.isOpen(*at))
        return sayOpen("input");
      if (type && type != inputs.types[*at])
        return say() << "the input is a " << type << " of one function and a "
                     << inputs.types[*at] << " of another";
      type = cast<RankedTensorType>(inputs.types[*at]);
      name = textOf(inputs.attributes[*at], "weir.name");
    }
    if (!type)
      return say() << "there is no input '" << escaped(state.input) << "'"
                   << didYouMean(state.input, names);
    return success();
  }

  LogicalResult checkOutputs() {
    SmallVector<StringRef> names;
    bool isThere = false;
    for (FuncOp entry : entries) {
      Side outputs = Side::outputs(entry);
      outputs.addNames(names);
      std::optional<unsigned> at = outputs.find(state.output);
      if (!at)
        continue;
      isThere = true;
      if (outputs.isOpen(*at))
        return sayOpen("output");
      if (outputs.types[*at] != type)
        return say() << "the input is a " << type << " and the output a "
                     << outputs.types[*at] << "; a state keeps its type";
    }
    if (!isThere)
      return say() << "there is no output '" << escaped(state.output) << "'"
                   << didYouMean(state.output, names);
    return success();
  }

  LogicalResult sayOpen(StringRef which) {
    return say(Status::unsupported)
           << "the " << which
           << " has a size that only the run knows, and a state is of a fixed "
              "one: a cache has room for all that it will hold, and each run "
              "writes at a position";
  }

  void read(FuncOp entry) {
    Side inputs = Side::inputs(entry);
    std::optional<unsigned> at = inputs.find(state.input);
    if (!at)
      return;
    OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
    Value value = b.create<graph::ReadVariableOp>(variable.getLoc(), type,
                                                  variable.getSymName());
    entry.getArgument(*at).replaceAllUsesWith(value);
    entry.eraseArgument(*at);
    entry.setAllArgAttrs(inputs.without(*at));
  }

  void assign(FuncOp entry) {
    Side outputs = Side::outputs(entry);
    std::optional<unsigned> at = outputs.find(state.output);
    if (!at)
      return;
    Operation *end = entry.getBody().front().getTerminator();
    OpBuilder b(end);
    b.create<graph::WriteVariableOp>(variable.getLoc(), variable.getSymName(),
                                     end->getOperand(*at));
    end->eraseOperand(*at);
    entry.eraseResult(*at);
    entry.setAllResultAttrs(outputs.without(*at));
  }

  Report &report;
  ModuleOp module;
  const HeldState &state;
  SmallVector<FuncOp> entries;
  RankedTensorType type;
  std::string name;
  graph::VariableOp variable;
};

} // namespace

LogicalResult holdStates(Report &report, ModuleOp module,
                         const ImportOptions &options) {
  // Where a variable of the model has no first value, nothing is called init.
  bool hasInit = true;
  for (auto variable : module.getOps<graph::VariableOp>())
    hasInit &= variable.getInitial().has_value();
  for (auto function : module.getOps<FuncOp>())
    hasInit |= function->hasAttr("weir.init");
  for (const HeldState &state : options.states)
    if (failed(Holder(report, module, state).run(hasInit)))
      return failure();
  return success();
}

} // namespace weir
