// Each group becomes a function; equal groups share one.

#include "passes/lower/Passes.h"

#include "dialects/graph/MultiplyAdds.h"
#include "dialects/graph/Sizes.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_OUTLINEGROUPS
#include "passes/lower/Passes.h.inc"

namespace {

llvm::hash_code hashOf(graph::GroupOp group) {
  llvm::hash_code hash = llvm::hash_value(group.getNumOperands());
  for (Operation &op : group.getBody().front())
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     &op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  return hash;
}

/// Whether a GPU's host runs the group.
bool isOfHost(graph::GroupOp group) { return attrs::host.isOn(group); }

bool sameBody(graph::GroupOp a, graph::GroupOp b) {
  return a.getOperandTypes() == b.getOperandTypes() &&
         a.getResultTypes() == b.getResultTypes() &&
         isOfHost(a) == isOfHost(b) &&
         attrs::sizes.of(a) == attrs::sizes.of(b) &&
         attrs::columns.of(a) == attrs::columns.of(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// The group's location, and then those of all its ops, so that every node of
/// the group leads to its kernel.
Location locationOfAll(graph::GroupOp group) {
  SmallVector<Location> locations = {group.getLoc()};
  for (Operation &op : group.getBody().front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      locations.push_back(op.getLoc());
  return FusedLoc::get(group.getContext(), locations);
}

/// Writes what a profile, or the schedule of a rank, reports of the kernel.
void addWork(func::FuncOp kernel) {
  int64_t multiplyAdds =
      graph::countMultiplyAdds(kernel, [](Operation *) { return ""; }).total;
  attrs::work.set(kernel,
                  WorkAttr::get(kernel.getContext(), kernel.getNumArguments(),
                                multiplyAdds));
}

struct OutlineGroups : impl::OutlineGroupsBase<OutlineGroups> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<graph::GroupOp> groups;
    // Those of tasks; the groups lose their bodies below.
    SmallVector<Location> locations;
    module.walk([&](graph::GroupOp group) {
      groups.push_back(group);
      locations.push_back(locationOfAll(group));
    });

    // The first of each kind keeps its body until all have been compared.
    llvm::DenseMap<size_t, SmallVector<std::pair<graph::GroupOp, unsigned>>>
        kinds;
    SmallVector<graph::GroupOp> firsts;
    SmallVector<unsigned> kernelOf;
    for (graph::GroupOp group : groups) {
      auto &alike = kinds[hashOf(group)];
      auto same = llvm::find_if(
          alike, [&](auto &entry) { return sameBody(entry.first, group); });
      if (same != alike.end()) {
        kernelOf.push_back(same->second);
        continue;
      }
      alike.push_back({group, firsts.size()});
      kernelOf.push_back(firsts.size());
      firsts.push_back(group);
    }

    OpBuilder b(module.getContext());
    b.setInsertionPointToEnd(module.getBody());
    // The nodes of all groups that share a kernel, the first group's first.
    SmallVector<SmallVector<Location>> locationsOf(firsts.size());
    for (auto [location, kernel] : llvm::zip_equal(locations, kernelOf))
      locationsOf[kernel].push_back(location);
    SmallVector<func::FuncOp> kernels;
    for (auto [group, nodes] : llvm::zip_equal(firsts, locationsOf))
      kernels.push_back(outline(b, group, kernels.size(),
                                FusedLoc::get(b.getContext(), nodes)));
    for (func::FuncOp kernel : kernels)
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        attrs::constant.setOnArgument(kernel, i);
    if (attrs::profile.isOn(module) || attrs::mesh.isOn(module))
      llvm::for_each(kernels, addWork);
    for (auto [group, location, kernel] :
         llvm::zip_equal(groups, locations, kernelOf)) {
      // What is a constant wherever a kernel is called may be packed.
      for (auto [i, input] : llvm::enumerate(group.getInputs()))
        if (!input.getDefiningOp<graph::ConstantOp>())
          attrs::constant.removeFromArgument(kernels[kernel], i);
      b.setInsertionPoint(group);
      auto task = b.create<plan::TaskOp>(
          location, group.getResultTypes(),
          FlatSymbolRefAttr::get(kernels[kernel].getSymNameAttr()),
          group.getInputs(), /*task group=*/IntegerAttr(),
          /*by_rows=*/UnitAttr(),
          isOfHost(group) ? b.getUnitAttr() : UnitAttr());
      // A copy that is to be run again is not what it is a copy of.
      if (IntegerAttr again = attrs::again.of(group))
        attrs::again.set(task, again);
      group.replaceAllUsesWith(task.getResults());
      group.erase();
    }
  }

private:
  /// Moves the group's ops into a function of its own.
  static func::FuncOp outline(OpBuilder &b, graph::GroupOp group, size_t number,
                              Location location) {
    auto type =
        b.getFunctionType(group.getOperandTypes(), group.getResultTypes());
    auto kernel = b.create<func::FuncOp>(
        location, "kernel_" + std::to_string(number), type);
    kernel.setPrivate();
    attrs::kernel.set(kernel);
    if (isOfHost(group))
      attrs::host.set(kernel);
    if (ArrayAttr sizes = attrs::sizes.of(group)) {
      attrs::sizes.set(kernel, sizes);
      attrs::inputs.set(kernel, group.getNumOperands());
    }
    if (IntegerAttr columns = attrs::columns.of(group))
      attrs::columns.set(kernel, columns);
    kernel.getBody().takeBody(group.getBody());
    auto yield = cast<graph::YieldOp>(kernel.getBody().front().getTerminator());
    OpBuilder inner(yield);
    inner.create<func::ReturnOp>(yield.getLoc(), yield.getValues());
    yield.erase();
    return kernel;
  }
};

} // namespace
} // namespace weir::lower
