// Assigns each op to the GPU or to its host.

#include "passes/place/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/target/DeviceName.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/DeviceNodes.h"
#include "dialects/weir/NamePattern.h"

using namespace mlir;

namespace weir::place {
#define GEN_PASS_DEF_PLACEOPS
#include "passes/place/Passes.h.inc"

namespace {

struct Rule {
  NamePattern names;
  bool isHost, isUsed = false;
  StringRef text;
};

/// Applies the rules and constraints of one module.
class Placing {
public:
  explicit Placing(ModuleOp module)
      : module(module), devices(attrs::devices.of(module)),
        torn(attrs::colocated.of(module)) {}

  LogicalResult run() {
    if (GpuAttr gpu = attrs::gpu.of(module))
      readRules(gpu.getPlace());
    if (rules.empty() && !devices)
      return success();
    WalkResult walked = module.walk([&](Operation *op) {
      return failed(place(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
    for (const Rule &rule : rules)
      if (!rule.isUsed)
        return emitError(module.getLoc(), "--place=")
               << rule.text << ": no node that is left in the model has such a "
               << "name";
    return success();
  }

private:
  void readRules(ArrayAttr list) {
    for (auto rule : list.getAsRange<StringAttr>()) {
      auto [names, place] = rule.getValue().rsplit(':');
      rules.push_back({NamePattern::part(names), place == "cpu",
                       /*isUsed=*/false, rule.getValue()});
    }
  }

  LogicalResult place(Operation *op) {
    std::optional<bool> isHost;
    for (StringAttr node : nodesOf(op->getLoc()))
      if (failed(placeOf(op, node, isHost)))
        return failure();
    auto fusible = dyn_cast<graph::FusionOpInterface>(op);
    if (isHost == true && fusible &&
        fusible.fusionRole() != graph::FusionRole::none)
      attrs::host.set(op);
    return success();
  }

  /// Decides by the constraint of a node, unless an inner node has decided.
  LogicalResult placeOf(Operation *op, StringAttr node,
                        std::optional<bool> &isHost) {
    bool isDecided = isHost.has_value(), hasRule = false;
    for (Rule &rule : rules) {
      if (!rule.names.matches(node.getValue()))
        continue;
      rule.isUsed = hasRule = true;
      if (!isDecided)
        isHost = rule.isHost;
    }
    auto device = devices ? devices.getAs<StringAttr>(node) : StringAttr();
    if (!device || hasRule || isDecided)
      return success();
    DeviceKind kind = kindOfDevice(device);
    if (kind == DeviceKind::None)
      return namesNone(op->getLoc(), device);
    if (auto other = torn ? torn.getAs<StringAttr>(node) : StringAttr())
      return emitError(op->getLoc(), "is constrained to the device '")
             << device.getValue() << "' and to that of node '"
             << other.getValue() << "', which is another; "
             << "--place=REGEX:cpu or :gpu overrules the model";
    if (kind == DeviceKind::Other)
      return emitError(op->getLoc(), "is constrained to the device '")
             << device.getValue() << "', and there are a GPU and its CPU; "
             << "--place=REGEX:cpu or :gpu overrules the model";
    if (kind != DeviceKind::Any)
      isHost = kind == DeviceKind::Cpu;
    return success();
  }

  ModuleOp module;
  DictionaryAttr devices;
  /// Nodes that the model constrains to two devices, each with the node beside
  /// which it must be.
  DictionaryAttr torn;
  std::vector<Rule> rules;
};

struct PlaceOps : impl::PlaceOpsBase<PlaceOps> {
  void runOnOperation() override {
    if (failed(Placing(getOperation()).run()))
      return signalPassFailure();
    attrs::devices.remove(getOperation());
    attrs::colocated.remove(getOperation());
  }
};

} // namespace
} // namespace weir::place
