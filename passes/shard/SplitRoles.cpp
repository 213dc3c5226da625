// Makes a program for each role of a cluster of the program of all.

#include "passes/shard/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/build/Build.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/IRMapping.h"
#include "passes/shard/roles/Assignment.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-split-roles"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_SPLITROLES
#include "passes/shard/Passes.h.inc"

namespace {

/// The numbers of messages, of all entries.
struct Keys {
  int64_t next = 0;
};

/// Splits one entry. All roles have their ops in the entry's order, so the
/// messages of all have one order, and no two roles wait for each other.
class EntrySplitter {
public:
  EntrySplitter(func::FuncOp entry, const NodeRoles &nodes,
                const Assignment &assignment, ArrayRef<ModuleOp> modules,
                Keys &keys)
      : entry(entry), nodes(nodes), at(assignment), keys(keys) {
    for (ModuleOp module : modules) {
      OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
      auto function = b.create<func::FuncOp>(entry.getLoc(), entry.getName(),
                                             b.getFunctionType({}, {}));
      for (NamedAttribute attribute : entry->getDiscardableAttrs())
        function->setAttr(attribute.getName(), attribute.getValue());
      parts.emplace_back(function);
    }
  }

  void run() {
    Block &body = entry.getBody().front();
    for (BlockArgument argument : body.getArguments())
      splitArgument(argument);
    for (Operation &op : body.without_terminator()) {
      if (Assignment::isCopied(&op))
        continue;
      if (hasUnagreedCheck && assigns(op))
        agree(op.getLoc());
      hasUnagreedCheck |= isa<graph::CheckOp>(op);
      if (auto reduce = dyn_cast<graph::AllReduceOp>(op))
        splitReduction(reduce);
      else
        copy(op);
      for (Value result : op.getResults())
        send(result);
    }
    if (hasUnagreedCheck)
      agree(entry.getLoc());
    splitReturn(cast<func::ReturnOp>(body.getTerminator()));
  }

private:
  /// The function of one role, its end, and its forms of the entry's values.
  struct Part {
    func::FuncOp function;
    OpBuilder b;
    Part(func::FuncOp function)
        : function(function),
          b(OpBuilder::atBlockEnd(function.addEntryBlock())) {}
    DenseMap<Value, Value> forms;
    std::vector<Type> inputs, outputs;
    std::vector<DictionaryAttr> ofInputs, ofOutputs;
    std::vector<Value> results;
  };

  static bool assigns(Operation &op) {
    return op
        .walk([](graph::WriteVariableOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  void splitArgument(BlockArgument argument) {
    Part &part = parts[at.of(argument)];
    Block &block = part.function.getBody().front();
    part.forms[argument] =
        block.addArgument(argument.getType(), argument.getLoc());
    part.inputs.push_back(argument.getType());
    part.ofInputs.push_back(entry.getArgAttrDict(argument.getArgNumber()));
    send(argument);
  }

  Value formOf(Part &part, Value value) {
    Value &form = part.forms[value];
    if (!form) {
      Operation *op = value.getDefiningOp();
      assert(Assignment::isCopied(op) && "no role has sent the value");
      form = part.b.clone(*op)->getResult(0);
    }
    return form;
  }

  void copy(Operation &op) {
    Part &part = parts[at.of(&op)];
    LLVM_DEBUG(llvm::dbgs()
               << nodes.roles()[at.of(&op)].name << ": " << op << "\n");
    IRMapping mapping;
    for (Value value : valuesUsedBy(op))
      mapping.map(value, formOf(part, value));
    Operation *copied = part.b.clone(op, mapping);
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), copied->getResults()))
      part.forms[from] = to;
  }

  StringAttr nameOf(unsigned role) {
    return StringAttr::get(entry.getContext(), nodes.roles()[role].name);
  }

  /// Sends the value to each other role that uses it, at once.
  void send(Value value) {
    SmallVector<bool> wanted(parts.size());
    for (OpOperand &use : value.getUses()) {
      Operation *user = at.userOf(use);
      if (isa<func::ReturnOp>(user))
        wanted[at.ofResult(value)] = true;
      else if (!isa<graph::AllReduceOp>(user))
        wanted[at.of(user)] = true;
    }
    unsigned from = at.of(value);
    for (auto [role, part] : llvm::enumerate(parts))
      if (wanted[role] && role != from)
        part.forms[value] = transfer(value, from, role);
  }

  Value transfer(Value value, unsigned from, unsigned to) {
    int64_t key = keys.next++;
    Value form = formOf(parts[from], value);
    parts[from].b.create<graph::SendOp>(value.getLoc(), form, nameOf(to), key,
                                        /*each=*/false);
    return parts[to].b.create<graph::RecvOp>(value.getLoc(), form.getType(),
                                             nameOf(from), key,
                                             /*each=*/false);
  }

  /// All replicas send their parts to one role, which adds them in their order.
  void splitReduction(graph::AllReduceOp op) {
    unsigned from = at.of(op.getX()), to = at.of(op.getOperation());
    int64_t key = keys.next++;
    Location loc = op.getLoc();
    parts[from].b.create<graph::SendOp>(loc, formOf(parts[from], op.getX()),
                                        nameOf(to), key, /*each=*/true);
    RankedTensorType type = op.getX().getType();
    SmallVector<int64_t> shape(type.getShape());
    int64_t tasks = nodes.roles()[from].count;
    shape.insert(shape.begin(), tasks);
    ImplicitLocOpBuilder b(loc, parts[to].b);
    Value all = b.create<graph::RecvOp>(type.clone(shape), nameOf(from), key,
                                        /*each=*/true);
    Value sum;
    for (int64_t i = 0; i < tasks; ++i) {
      SmallVector<int64_t> starts(shape.size()), limits(shape),
          strides(shape.size(), 1);
      starts[0] = i;
      limits[0] = i + 1;
      Value part = b.create<graph::SliceOp>(all, starts, limits, strides);
      part = b.create<graph::ReshapeOp>(type, part);
      sum = sum ? combine(b, op.getCombine(), sum, part) : part;
    }
    parts[to].forms[op] = sum;
  }

  static Value combine(ImplicitLocOpBuilder &b, graph::Combine how, Value x,
                       Value y) {
    if (how == graph::Combine::sum)
      return b.create<graph::AddOp>(x, y);
    if (how == graph::Combine::max)
      return b.create<graph::MaximumOp>(x, y);
    return b.create<graph::MinimumOp>(x, y);
  }

  void agree(Location loc) {
    hasUnagreedCheck = false;
    int64_t key = keys.next++;
    for (Part &part : parts)
      part.b.create<graph::AgreeOp>(loc, key);
  }

  void splitReturn(func::ReturnOp op) {
    for (auto [i, value] : llvm::enumerate(op.getOperands())) {
      Part &part = parts[at.ofResult(value)];
      part.results.push_back(formOf(part, value));
      part.outputs.push_back(value.getType());
      part.ofOutputs.push_back(entry.getResultAttrDict(i));
    }
    for (Part &part : parts) {
      part.b.create<func::ReturnOp>(op.getLoc(), part.results);
      part.function.setFunctionType(
          part.b.getFunctionType(part.inputs, part.outputs));
      part.function.setAllArgAttrs(part.ofInputs);
      part.function.setAllResultAttrs(part.ofOutputs);
    }
  }

  func::FuncOp entry;
  const NodeRoles &nodes;
  const Assignment &at;
  Keys &keys;
  std::vector<Part> parts;
  bool hasUnagreedCheck = false;
};

struct SplitRoles : impl::SplitRolesBase<SplitRoles> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ClusterAttr cluster = attrs::cluster.of(module);
    if (!cluster || !cluster.getRole().empty())
      return;
    NodeRoles nodes(module);
    VariableRoles variables(module, nodes);
    SmallVector<ModuleOp> modules;
    for (const ClusterRole &role : nodes.roles())
      modules.push_back(createModule(role, cluster));
    Keys keys;
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      if (llvm::is_contained(modules, &op))
        break;
      auto entry = dyn_cast<func::FuncOp>(op);
      if (entry && attrs::entry.isOn(entry)) {
        Assignment assignment(entry, nodes, variables);
        if (failed(check(entry)) || failed(assignment.run()))
          return signalPassFailure();
        EntrySplitter(entry, nodes, assignment, modules, keys).run();
      } else if (auto variable = dyn_cast<graph::VariableOp>(op)) {
        OpBuilder::atBlockEnd(modules[variables.of(variable)].getBody())
            .clone(op);
      } else {
        for (ModuleOp of : modules)
          OpBuilder::atBlockEnd(of.getBody()).clone(op);
      }
      op.erase();
    }
    for (NamedAttribute attribute :
         llvm::to_vector(module->getDiscardableAttrs()))
      if (attribute.getName() != attrs::cluster.name())
        module->removeDiscardableAttr(attribute.getName());
  }

private:
  /// An empty module of the role, with the attributes of all.
  ModuleOp createModule(const ClusterRole &role, ClusterAttr cluster) {
    ModuleOp module = getOperation();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto of = b.create<ModuleOp>(module.getLoc(), StringRef(role.name));
    of->setDiscardableAttrs(module->getDiscardableAttrDictionary());
    attrs::devices.remove(of);
    attrs::cluster.set(of, ClusterAttr::get(&getContext(), cluster.getJobs(),
                                            cluster.getSizes(),
                                            cluster.getReplicas(), role.name,
                                            cluster.getFingerprint()));
    attrs::mesh.set(of,
                    MeshAttr::get(&getContext(), b.getStrArrayAttr({"tasks"}),
                                  b.getDenseI64ArrayAttr(cluster.ranks())));
    return of;
  }

  static LogicalResult check(func::FuncOp entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (attrs::shapeOf.isOnArgument(entry, i))
        return emitError(entry.getLoc(),
                         "has dynamic dimensions, which weir partition "
                         "does not divide; --dim sets a size");
    return success();
  }
};

} // namespace
} // namespace weir::shard
