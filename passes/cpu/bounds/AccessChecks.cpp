// Guards the loads and stores of a kernel by checks of their indices.

#include "passes/cpu/bounds/AccessChecks.h"

#include "passes/cpu/bounds/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;

namespace weir::cpu {

MemRefType recordType(MLIRContext *context) {
  return MemRefType::get({3}, IntegerType::get(context, 64));
}

func::FuncOp buildRecorder(ModuleOp module) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  Type number = b.getI64Type();
  auto recorder = b.create<func::FuncOp>(
      "weir_record_access",
      b.getFunctionType({recordType(b.getContext()), number, number}, {}));
  recorder.setPrivate();
  recorder->setAttr("passthrough",
                    b.getStrArrayAttr({"noinline", "cold", "nounwind"}));
  b.setInsertionPointToStart(recorder.addEntryBlock());
  Value record = recorder.getArgument(0);
  Value first = b.create<arith::ConstantIndexOp>(0);
  Value second = b.create<arith::ConstantIndexOp>(1);
  Value third = b.create<arith::ConstantIndexOp>(2);
  Value none = b.create<arith::ConstantIntOp>(0, 64);
  Value one = b.create<arith::ConstantIntOp>(1, 64);
  // Threads may violate bounds at once: the first of them writes the record.
  Value before = b.create<memref::AtomicRMWOp>(
      number, arith::AtomicRMWKind::addi, one, record, ValueRange(third));
  Value isFirst =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, before, none);
  b.create<scf::IfOp>(isFirst, [&](OpBuilder &inner, Location at) {
    inner.create<memref::StoreOp>(at, recorder.getArgument(1), record, first);
    inner.create<memref::StoreOp>(at, recorder.getArgument(2), record, second);
    inner.create<scf::YieldOp>(at);
  });
  b.create<func::ReturnOp>();
  return recorder;
}

namespace {

/// The elements that an op loads or stores: `lanes` of them in the last
/// dimension, from these indices on.
struct Access {
  Value memory;
  ValueRange indices;
  Scalar lanes;
  bool isStore = false;
};

class Guarding {
public:
  Guarding(func::FuncOp kernel, Value record, func::FuncOp recorder)
      : kernel(kernel), record(record), recorder(recorder),
        b(kernel.getLoc(), kernel.getContext()) {}

  SmallVector<AccessSite> run() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      b.setLoc(op->getLoc());
      checks.clear();
      if (std::optional<Access> access = accessOf(op)) {
        check(*access);
        if (!checks.empty())
          guard(op);
      }
    }
    return std::move(sites);
  }

private:
  struct Check {
    Value holds, index;
    int64_t site;
  };

  std::optional<Access> accessOf(Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return Access{load.getMemref(), load.getIndices(), 1};
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return Access{store.getMemref(), store.getIndices(), 1, true};
    if (auto load = dyn_cast<vector::LoadOp>(op))
      return Access{load.getBase(), load.getIndices(),
                    lanesOf(load.getVectorType())};
    if (auto store = dyn_cast<vector::StoreOp>(op))
      return Access{store.getBase(), store.getIndices(),
                    lanesOf(store.getVectorType()), true};
    if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
      return Access{load.getBase(), load.getIndices(),
                    activeLanes(b, load.getMask())};
    if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
      return Access{store.getBase(), store.getIndices(),
                    activeLanes(b, store.getMask()), true};
    return std::nullopt;
  }

  static int64_t lanesOf(VectorType type) { return type.getNumElements(); }

  int64_t siteOf(AccessSite site) {
    auto [entry, isNew] = numbers.try_emplace(site.key(), sites.size() + 1);
    if (isNew)
      sites.push_back(site);
    return entry->second;
  }

  void require(Value holds, Value index, const AccessSite &site) {
    checks.push_back({holds, index, siteOf(site)});
  }

  void check(const Access &access) {
    if (access.lanes.constant == 0)
      return;
    auto type = cast<MemRefType>(access.memory.getType());
    Place place = placeOf(b, access.memory);
    AccessSite site;
    site.argument = -1;
    if (auto argument = dyn_cast<BlockArgument>(place.root))
      if (argument.getOwner() == &kernel.getBody().front())
        site.argument = argument.getArgNumber();
    site.isStore = access.isStore;
    site.type = type;
    for (auto [d, index] : llvm::enumerate(access.indices)) {
      int64_t size = type.getDimSize(d);
      // A mask that is empty may begin anywhere.
      if (ShapedType::isDynamic(size) || !access.lanes.constant)
        continue;
      Scalar at = Scalar::of(index);
      if (at.constant && *at.constant >= 0 && *at.constant < size)
        continue;
      Value bound = b.create<arith::ConstantIndexOp>(size);
      site.dim = static_cast<int64_t>(d);
      // A negative index is a large one.
      require(b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, index, bound),
              index, site);
    }
    bool isWhole = access.lanes.constant == 1 && place.root == access.memory;
    std::optional<Scalar> start =
        isWhole ? std::nullopt
                : byteOf(b, place, access.memory, access.indices);
    if (!start)
      return;
    auto root = cast<MemRefType>(place.root.getType());
    int64_t width = bytesOfElement(type), size = bytesOf(root);
    Scalar end = add(b, *start, multiply(b, access.lanes, width));
    if (start->constant && end.constant && *start->constant >= 0 &&
        *end.constant <= size)
      return;
    Value low = start->materialize(b), high = end.materialize(b);
    Value zero = b.create<arith::ConstantIndexOp>(0);
    Value bytes = b.create<arith::ConstantIndexOp>(size);
    Value isHigh =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::sle, high, bytes);
    Value isLow = b.create<arith::CmpIOp>(arith::CmpIPredicate::sge, low, zero);
    // The element that the message names: the last one, or the first if it is
    // before the buffer.
    Value one = b.create<arith::ConstantIndexOp>(1);
    Value last = b.create<arith::SelectOp>(
        isLow, b.create<arith::SubIOp>(high, one).getResult(), low);
    Value element = b.create<arith::DivSIOp>(
        last, b.create<arith::ConstantIndexOp>(bytesOfElement(root)));
    site.dim = -1;
    site.type = root;
    require(b.create<arith::AndIOp>(isLow, isHigh), element, site);
  }

  /// Runs the op if all checks hold, and records the first one that does not.
  void guard(Operation *op) {
    Value all = checks.front().holds;
    for (const Check &each : ArrayRef(checks).drop_front())
      all = b.create<arith::AndIOp>(all, each.holds);
    auto branch = b.create<scf::IfOp>(op->getResultTypes(), all,
                                      /*withElseRegion=*/true);
    op->replaceAllUsesWith(branch.getResults());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.elseBlock());
      recordFirst();
      SmallVector<Value> zeros;
      for (Type type : op->getResultTypes())
        zeros.push_back(b.create<arith::ConstantOp>(b.getZeroAttr(type)));
      // Without results the builder has made the terminators.
      if (!zeros.empty())
        b.create<scf::YieldOp>(zeros);
    }
    Block *then = branch.thenBlock();
    op->moveBefore(then, then->begin());
    if (op->getNumResults()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(then);
      b.create<scf::YieldOp>(op->getResults());
    }
  }

  void recordFirst() {
    Value site, index;
    for (const Check &each : llvm::reverse(checks)) {
      Value number = b.create<arith::ConstantIntOp>(each.site, 64);
      site =
          site ? b.create<arith::SelectOp>(each.holds, site, number) : number;
      index = index ? b.create<arith::SelectOp>(each.holds, index, each.index)
                    : each.index;
    }
    index = b.create<arith::IndexCastOp>(b.getI64Type(), index);
    b.create<func::CallOp>(recorder, ValueRange{record, site, index});
  }

  func::FuncOp kernel;
  Value record;
  func::FuncOp recorder;
  ImplicitLocOpBuilder b;
  SmallVector<Check> checks;
  SmallVector<AccessSite> sites;
  std::map<decltype(AccessSite().key()), int64_t> numbers;
};

} // namespace

SmallVector<AccessSite> guardAccesses(func::FuncOp kernel, Value record,
                                      func::FuncOp recorder) {
  return Guarding(kernel, record, recorder).run();
}

} // namespace weir::cpu
