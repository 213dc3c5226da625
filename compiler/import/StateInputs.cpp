// Makes variables of inputs, and assignments of outputs.

#include "compiler/import/StateInputs.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/TensorName.h"

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
    for (const StateInput &before : options.states) {
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

StringRef textOf(DictionaryAttr attributes,
                 const StageAttribute<kinds::Text> &attribute) {
  StringAttr text = attribute.in(attributes);
  return text ? text.getValue() : StringRef();
}

/// Whether it holds the sizes of another argument or result.
bool isShape(DictionaryAttr attributes) {
  return attrs::shapeOf.isIn(attributes);
}

/// The arguments or the results of an entry.
struct Side {
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Type> types;

  static Side inputs(FuncOp entry) {
    Side side{{}, llvm::to_vector(entry.getArgumentTypes())};
    entry.getAllArgAttrs(side.attributes);
    return side;
  }
  static Side outputs(FuncOp entry) {
    Side side{{}, llvm::to_vector(entry.getResultTypes())};
    entry.getAllResultAttrs(side.attributes);
    return side;
  }

  /// Options call a tensor by its name, its tensor's or its node's.
  std::optional<unsigned> find(StringRef wanted) const {
    for (auto [i, each] : llvm::enumerate(attributes))
      if (!isShape(each) &&
          (withoutIndex(wanted) == textOf(each, attrs::name) ||
           isSameTensor(wanted, textOf(each, attrs::tensor))))
        return i;
    return std::nullopt;
  }
  void addNames(SmallVectorImpl<StringRef> &names) const {
    for (DictionaryAttr each : attributes)
      if (!isShape(each))
        names.push_back(textOf(each, attrs::name));
  }
  /// What has the sizes of number `i`, where only the run knows them.
  std::optional<unsigned> sizesOf(unsigned i) const {
    for (auto [at, each] : llvm::enumerate(attributes))
      if (auto of = attrs::shapeOf.in(each); of && of.getInt() == i)
        return at;
    return std::nullopt;
  }
  /// The attributes of what is left when number `i` has gone, those that were
  /// behind it counting anew.
  SmallVector<DictionaryAttr> without(unsigned i) const {
    SmallVector<DictionaryAttr> left;
    for (auto [at, each] : llvm::enumerate(attributes)) {
      NamedAttrList list(each);
      auto of = attrs::shapeOf.in(each);
      if (of && of.getInt() > i)
        attrs::shapeOf.addTo(list,
                             IntegerAttr::get(of.getType(), of.getInt() - 1));
      if (at != i)
        left.push_back(list.getDictionary(each.getContext()));
    }
    return left;
  }
};

/// An input that is extended at the ends of its dimensions becomes what its
/// variable has room for: what lies beyond the sizes is of no meaning.
void replaceExtended(Value input, Value room) {
  for (Operation *user : llvm::make_early_inc_range(input.getUsers()))
    if (auto pad = dyn_cast<graph::PadOp>(user);
        pad && pad.getX() == input && pad.getType() == room.getType() &&
        llvm::all_of(pad.getLow(), [](int64_t size) { return size == 0; }) &&
        llvm::all_of(pad.getInterior(), [](int64_t size) { return size == 0; }))
      pad.replaceAllUsesWith(room);
}

/// One input that becomes a variable, and another for its sizes where only the
/// run knows them.
class StateInputBuilder {
public:
  StateInputBuilder(Report &report, ModuleOp module, const StateInput &state)
      : report(report), module(module), state(state) {
    for (auto entry : module.getOps<FuncOp>())
      if (attrs::entry.isOn(entry))
        entries.push_back(entry);
  }

  LogicalResult run(bool hasInit) {
    if (failed(findInput()) || failed(checkOutputs()))
      return failure();
    Builder b(module.getContext());
    variable = declare(name, room, hasInit ? b.getZeroAttr(room) : Attribute());
    if (least) {
      auto type = RankedTensorType::get(least.size(), b.getI64Type());
      sizes =
          declare(name + ".shape", type,
                  hasInit ? DenseIntElementsAttr::get(type, least.asArrayRef())
                          : Attribute());
    }
    if (!variable || (least && !sizes))
      return failure();
    for (FuncOp entry : entries) {
      assign(entry);
      read(entry);
    }
    return success();
  }

private:
  InFlightDiagnostic say() {
    InFlightDiagnostic error = report.error(Status::badUsage);
    error << "--state=" << escaped(state.input) << "=" << escaped(state.output)
          << ": ";
    return error;
  }

  /// Null after an error.
  graph::VariableOp declare(const std::string &called, RankedTensorType type,
                            Attribute first) {
    for (auto other : module.getOps<graph::VariableOp>())
      if (other.nameInModel() == called) {
        say() << "the model has a variable '" << escaped(called) << "'";
        return {};
      }
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    return b.create<graph::VariableOp>(report.node(state.input),
                                       "state:" + called, type,
                                       cast_or_null<ElementsAttr>(first),
                                       b.getStringAttr(called), StringAttr());
  }

  LogicalResult findInput() {
    SmallVector<StringRef> names;
    for (FuncOp entry : entries) {
      Side inputs = Side::inputs(entry);
      inputs.addNames(names);
      std::optional<unsigned> at = inputs.find(state.input);
      if (!at)
        continue;
      DenseI64ArrayAttr lows;
      if (std::optional<unsigned> shape = inputs.sizesOf(*at))
        lows = attrs::least.in(inputs.attributes[*shape]);
      auto own = mlir::cast<RankedTensorType>(inputs.types[*at]);
      // Functions may have room for sizes of their own.
      bool isAlike =
          !type ||
          (lows && least ? own.getRank() == type.getRank() &&
                               own.getElementType() == type.getElementType()
                         : own == type && lows == least);
      if (!isAlike)
        return say() << "the input is a " << type << " of one function and a "
                     << own << " of another";
      room = type ? largest(room, own) : own;
      type = own;
      least = lows;
      name = textOf(inputs.attributes[*at], attrs::name);
    }
    if (!type)
      return say() << "there is no input '" << escaped(state.input) << "'"
                   << didYouMean(state.input, names);
    return success();
  }

  /// The output fits into the variable, which has room for the bounds of its
  /// dynamic sizes.
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
      auto given = mlir::cast<RankedTensorType>(outputs.types[*at]);
      bool isDynamic = outputs.sizesOf(*at).has_value();
      if (isDynamic != bool(least))
        return say() << "only the " << (isDynamic ? "output" : "input")
                     << " has a size known only at run time";
      if (isDynamic ? given.getElementType() != type.getElementType() ||
                          given.getRank() != type.getRank()
                    : given != type)
        return say() << "the input is a " << type << " and the output a "
                     << given << "; a state keeps its type";
      room = largest(room, given);
    }
    if (!isThere)
      return say() << "there is no output '" << escaped(state.output) << "'"
                   << didYouMean(state.output, names);
    if (!byteSize(room.getShape(), elementBytes(room.getElementType())))
      return say() << "a " << room << " is larger than a tensor may be";
    return success();
  }

  static RankedTensorType largest(RankedTensorType a, RankedTensorType b) {
    SmallVector<int64_t> most;
    for (auto [own, other] : llvm::zip_equal(a.getShape(), b.getShape()))
      most.push_back(std::max(own, other));
    return a.clone(most);
  }

  static void replaceInput(FuncOp entry, unsigned i, Value value) {
    SmallVector<DictionaryAttr> left = Side::inputs(entry).without(i);
    entry.getArgument(i).replaceAllUsesWith(value);
    entry.eraseArgument(i);
    entry.setAllArgAttrs(left);
  }

  void read(FuncOp entry) {
    Side inputs = Side::inputs(entry);
    std::optional<unsigned> at = inputs.find(state.input);
    if (!at)
      return;
    ImplicitLocOpBuilder b(variable.getLoc(), module.getContext());
    b.setInsertionPointToStart(&entry.getBody().front());
    Value value = b.create<graph::ReadVariableOp>(room, variable.getSymName());
    if (std::optional<unsigned> shape = inputs.sizesOf(*at)) {
      replaceInput(entry, *shape,
                   b.create<graph::ReadVariableOp>(sizes.getTensorType(),
                                                   sizes.getSymName()));
      replaceExtended(entry.getArgument(*at), value);
    }
    if (!entry.getArgument(*at).use_empty())
      value = paddedTo(
          b, value, mlir::cast<RankedTensorType>(inputs.types[*at]).getShape());
    replaceInput(entry, *at, value);
  }

  static Value takeOutput(FuncOp entry, unsigned i) {
    SmallVector<DictionaryAttr> left = Side::outputs(entry).without(i);
    Operation *end = entry.getBody().front().getTerminator();
    Value value = end->getOperand(i);
    end->eraseOperand(i);
    entry.eraseResult(i);
    entry.setAllResultAttrs(left);
    return value;
  }

  void assign(FuncOp entry) {
    Side outputs = Side::outputs(entry);
    std::optional<unsigned> at = outputs.find(state.output);
    if (!at)
      return;
    ImplicitLocOpBuilder b(variable.getLoc(), module.getContext());
    b.setInsertionPoint(entry.getBody().front().getTerminator());
    // The sizes are behind all outputs.
    if (std::optional<unsigned> shape = outputs.sizesOf(*at))
      b.create<graph::WriteVariableOp>(sizes.getSymName(),
                                       takeOutput(entry, *shape));
    b.create<graph::WriteVariableOp>(
        variable.getSymName(),
        paddedTo(b, takeOutput(entry, *at), room.getShape()));
  }

  Report &report;
  ModuleOp module;
  const StateInput &state;
  SmallVector<FuncOp> entries;
  std::string name;
  RankedTensorType type, room; // of an input, and of the variable
  DenseI64ArrayAttr least;     // sizes; null where those of `type` are fixed
  graph::VariableOp variable, sizes;
};

} // namespace

LogicalResult makeStateInputs(Report &report, ModuleOp module,
                              const ImportOptions &options) {
  // Where a variable of the model has no first value, nothing is called init.
  bool hasInit = true;
  for (auto variable : module.getOps<graph::VariableOp>())
    hasInit &= variable.getInitial().has_value();
  for (auto function : module.getOps<FuncOp>())
    hasInit |= attrs::init.isOn(function);
  for (const StateInput &state : options.states)
    if (failed(StateInputBuilder(report, module, state).run(hasInit)))
      return failure();
  return success();
}

} // namespace weir
