// The graph of a compilation, for the report.

#include "compiler/report/Graph.h"

#include "compiler/Place.h"
#include "compiler/import/TypeText.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/MultiplyAdds.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace mlir;
namespace json = llvm::json;

namespace weir {
namespace {

std::string textOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getElementType().isIntOrFloat())
    return typeText(tensor.getShape(), tensor.getElementType(), "");
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A value by the node that computes it, and the number of the result there.
struct Source {
  int64_t node = -1;
  int64_t result = 0;
};

/// Blocks with their ops become nodes. Inner blocks wait in a queue, as the
/// nesting of a file has no limit.
class GraphWriter {
public:
  explicit GraphWriter(int64_t &groups) : groups(groups) {}

  json::Object write(func::FuncOp function) {
    StringAttr entry = attrs::entry.of(function);
    countGroups(function);
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments()) {
      StringAttr name =
          attrs::name.in(function.getArgAttrDict(argument.getArgNumber()));
      addArgument(argument, name ? name.getValue() : "", "input", Inside());
    }
    waiting.push_back({&body, Inside()});
    while (!waiting.empty()) {
      auto [block, inside] = waiting.front();
      waiting.pop_front();
      addBlock(*block, inside);
      if (block != &body)
        addResults(*block, inside);
    }
    for (auto [i, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      StringAttr name;
      if (i < function.getNumResults())
        name = attrs::name.in(function.getResultAttrDict(i));
      json::Object node = newNode(name ? name.getValue() : "", "output");
      node["inputs"] = inputsOf(value);
      nodes.push_back(std::move(node));
    }
    return json::Object{
        {"name", json::fixUTF8(entry ? entry.getValue() : function.getName())},
        {"nodes", std::move(nodes)}};
  }

private:
  /// The loop or conditional around a node, and the number of its region.
  struct Inside {
    int64_t node = -1;
    unsigned region = 0;
  };

  /// The numbers of groups are those of a walk, which visits inner blocks at
  /// their op.
  void countGroups(func::FuncOp function) {
    function.walk([&](graph::GroupOp group) { numbers[group] = groups++; });
  }

  static json::Object newNode(StringRef name, StringRef kind) {
    return json::Object{{"name", json::fixUTF8(name)}, {"kind", kind}};
  }

  static void place(json::Object &node, const Inside &inside) {
    if (inside.node < 0)
      return;
    node["parent"] = inside.node;
    node["region"] = inside.region;
  }

  json::Array inputsOf(ValueRange values) const {
    json::Array inputs;
    for (Value value : values) {
      Source source = sources.lookup(value);
      if (source.node >= 0)
        inputs.push_back(json::Array{source.node, source.result});
    }
    return inputs;
  }

  static void addTypes(json::Object &node, ValueRange values) {
    json::Array types;
    for (Value value : values)
      types.push_back(textOf(value.getType()));
    node["results"] = std::move(types);
  }

  void addArgument(BlockArgument argument, StringRef name, StringRef kind,
                   const Inside &inside) {
    sources[argument] = {static_cast<int64_t>(nodes.size()), 0};
    json::Object node = newNode(name, kind);
    addTypes(node, argument);
    place(node, inside);
    nodes.push_back(std::move(node));
  }

  /// The variables of a loop that its block uses.
  void addArguments(Block &block, const Inside &inside) {
    for (BlockArgument argument : block.getArguments())
      if (llvm::any_of(argument.getUsers(), [&](Operation *user) {
            return user != block.getTerminator();
          }))
        addArgument(argument, pathOf(argument.getLoc()), "variable", inside);
  }

  void addResults(Block &block, const Inside &inside) {
    json::Array inputs = inputsOf(block.getTerminator()->getOperands());
    if (inputs.empty())
      return;
    json::Object node = newNode("", "result");
    node["inputs"] = std::move(inputs);
    place(node, inside);
    nodes.push_back(std::move(node));
  }

  void addBlock(Block &block, const Inside &inside) {
    if (inside.node >= 0)
      addArguments(block, inside);
    for (Operation &op : block.without_terminator())
      if (auto group = dyn_cast<graph::GroupOp>(op))
        addGroup(group, inside);
      else
        addOp(op, inside, std::nullopt);
  }

  /// The arguments of a group are its operands, and its results are those of
  /// its ops.
  void addGroup(graph::GroupOp group, const Inside &inside) {
    Block &body = group.getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), group.getInputs()))
      sources[argument] = sources.lookup(operand);
    for (Operation &op : body.without_terminator())
      addOp(op, inside, numbers.lookup(group));
    for (auto [result, value] : llvm::zip_equal(
             group.getResults(), body.getTerminator()->getOperands()))
      sources[result] = sources.lookup(value);
  }

  void addOp(Operation &op, const Inside &inside,
             std::optional<int64_t> group) {
    auto own = static_cast<int64_t>(nodes.size());
    bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
    json::Object node =
        newNode(pathOf(op.getLoc()), isConstant ? "constant" : "op");
    node["op"] = op.getName().stripDialect();
    if (op.getNumOperands())
      node["inputs"] = inputsOf(op.getOperands());
    addTypes(node, op.getResults());
    for (OpResult result : op.getResults())
      sources[result] = {own, result.getResultNumber()};
    if (int64_t count = graph::multiplyAdds(&op))
      node["multiply_adds"] = count;
    if (auto variable = op.getAttrOfType<FlatSymbolRefAttr>("variable"))
      node["variable"] = json::fixUTF8(variable.getValue());
    if (group)
      node["group"] = *group;
    place(node, inside);
    nodes.push_back(std::move(node));
    for (Region &region : op.getRegions())
      for (Block &block : region)
        waiting.push_back({&block, {own, region.getRegionNumber()}});
  }

  int64_t &groups;
  llvm::DenseMap<Operation *, int64_t> numbers;
  llvm::DenseMap<Value, Source> sources;
  std::deque<std::pair<Block *, Inside>> waiting;
  json::Array nodes;
};

} // namespace

std::string pathOf(Location location) {
  Place place = placeOf(location);
  return llvm::join(llvm::reverse(place.nodes), "/");
}

json::Array describeGraph(ModuleOp module) {
  json::Array functions;
  int64_t groups = 0;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(GraphWriter(groups).write(function));
  return functions;
}

} // namespace weir
