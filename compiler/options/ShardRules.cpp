// Finds the tensors that --shard divides among ranks.

#include "compiler/options/ShardRules.h"

#include "compiler/Diagnostics.h"
#include "compiler/Place.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/NamePattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/shard/Shardings.h"

using namespace mlir;

namespace weir {

namespace {

class Application {
public:
  Application(ModuleOp module, const ShardRule &rule)
      : module(module), rule(rule), mesh(MeshAttr::of(module)),
        names(NamePattern::part(rule.names)) {}

  LogicalResult run() {
    for (auto variable : module.getOps<graph::VariableOp>())
      if (names.matches(variable.nameInModel()))
        divide(variable, variable.nameInModel(), variable.getTensorType());
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        divideInput(function, i);
    module.walk([&](graph::ConstantOp constant) {
      if (std::string name = nodeOf(constant.getLoc()); names.matches(name))
        divide(constant, name, constant.getType());
    });
    if (!isUsed)
      divideNodes();
    if (!isUsed && succeeded(result))
      return emitError(module.getLoc(), "--shard=")
             << escaped(rule.text) << ": no variable, constant, input or node "
             << "of the model has such a name";
    return result;
  }

private:
  void divideInput(func::FuncOp function, unsigned i) {
    StringAttr name = attrs::name.ofArgument(function, i);
    StringAttr tensor = attrs::tensor.ofArgument(function, i);
    if (!(name && names.matches(name.getValue())) &&
        !(tensor && names.matches(tensor.getValue())))
      return;
    auto shards = shardsOf(function.getLoc(), (name ? name : tensor).getValue(),
                           function.getArgumentTypes()[i]);
    if (shards)
      attrs::shards.setOnArgument(function, i, ArrayRef(*shards));
  }

  /// The result of a node is that of its last op.
  void divideNodes() {
    module.walk([&](Operation *op) {
      if (op->getNumResults() != 1 ||
          op->getName().getDialectNamespace() !=
              graph::GraphDialect::getDialectNamespace())
        return;
      std::string name = nodeOf(op->getLoc());
      auto isOfNode = [&](Operation *user) {
        return nodeOf(user->getLoc()) == name;
      };
      if (names.matches(name) && llvm::none_of(op->getUsers(), isOfNode))
        divide(op, name, op->getResult(0).getType());
    });
  }

  void divide(Operation *op, StringRef name, Type type) {
    if (auto shards = shardsOf(op->getLoc(), name, type))
      attrs::shards.set(op, ArrayRef(*shards));
  }

  std::optional<SmallVector<int64_t>> shardsOf(Location loc, StringRef name,
                                               Type type) {
    isUsed = true;
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t rank = tensor ? tensor.getRank() : 0;
    SmallVector<int64_t> shards(rank);
    for (auto [dim, axes] : rule.dims) {
      if (dim >= rank) {
        fail(loc, name) << " has no dimension " << dim;
        return std::nullopt;
      }
      int64_t ranks = shard::ranksOf(mesh, axes);
      int64_t size = tensor.getDimSize(dim);
      if (ShapedType::isDynamic(size) || size % ranks) {
        fail(loc, name) << " has the type " << type << ", whose dimension "
                        << dim << ' ' << ranks
                        << " ranks cannot divide into equal parts";
        return std::nullopt;
      }
      shards[dim] |= axes;
    }
    return shards;
  }

  InFlightDiagnostic fail(Location loc, StringRef name) {
    result = failure();
    return emitError(loc, "--shard=")
           << escaped(rule.text) << ": '" << escaped(name) << "'";
  }

  ModuleOp module;
  const ShardRule &rule;
  MeshAttr mesh;
  NamePattern names;
  bool isUsed = false;
  LogicalResult result = success();
};

} // namespace

LogicalResult applyShardRules(ModuleOp module, ArrayRef<ShardRule> rules) {
  for (const ShardRule &rule : rules)
    if (failed(Application(module, rule).run()))
      return failure();
  return success();
}

} // namespace weir
