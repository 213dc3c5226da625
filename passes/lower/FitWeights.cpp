// The forms of constant weights are chosen for a budget of bytes.
//
// A kernel of Winograd convolution reads transformed filters, which are 1.8 to
// 5.4 times as large. Kernels of f32 read weights of 16 bits widened. Kernels
// that share weights may read two layouts of them. If all of that exceeds the
// budget, the forms that save the least time per byte are replaced: each run
// transforms a filter, the convolution is a direct sum, kernels widen weights
// of 16 bits in registers, or no kernel uses inner-product pairing.

#include "passes/lower/ConvolutionCost.h"
#include "passes/lower/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/packed/Float16Constants.h"
#include "dialects/kernel/WinogradTransform.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-fit-weights"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_FITWEIGHTS
#include "passes/lower/Passes.h.inc"

namespace {

enum class Form { Transformed, TransformedAtRun, Direct };

struct Choice {
  Form form;
  bool asFloat16, withoutPairing;
  double bytes = 0, cycles = 0;
};

/// A kernel's argument that is the filter of a convolution, or the right side
/// of a product.
struct Use {
  func::FuncOp kernel;
  unsigned argument;
  Operation *op;
  int64_t calls;
  ConvolutionChoice known, atRun; // of a convolution

  /// Rows of the product, its depth and its columns.
  double rows = 0, depth = 0, columns = 0;

  bool isDirect(Form form) const {
    return form == Form::Direct ||
           (form == Form::Transformed ? known : atRun).tiles.empty();
  }

  /// Whether the kernel reads the layout of inner-product pairing
  /// (PairingLayouts.cpp), unless the form prevents it.
  bool usesPairing(const kernel::Target &target) const {
    constexpr double minRows = 8;
    return target.addsBeside && rows >= minRows;
  }

  double cycles(const Choice &choice, const kernel::Target &target) const {
    double cycles = 0;
    if (isa<graph::ConvolutionOp>(op))
      cycles = choice.form == Form::Transformed        ? known.cycles
               : choice.form == Form::TransformedAtRun ? atRunCycles()
                                                       : known.directCycles;
    if (isDirect(choice.form)) {
      auto lanes = double(target.lanes(Float32Type::get(op->getContext())));
      double vectors = depth * std::ceil(columns / lanes);
      // Pairing takes about 0.7 of the time, and reads f32 only.
      constexpr double tileRows = 12, saved = 0.3;
      if (choice.asFloat16)
        cycles += vectors * std::ceil(rows / tileRows);
      if ((choice.asFloat16 || choice.withoutPairing) && usesPairing(target))
        cycles += saved * vectors * rows;
    }
    return double(calls) * cycles;
  }

  /// The transform of a constant is made in f64, which takes about 2.5 times as
  /// long as in f32.
  double atRunCycles() const {
    constexpr double more = 1.5;
    return atRun.cycles + more * atRun.transformCycles;
  }
};

/// Constants that share kernels, so that they have one form.
struct Weights {
  SmallVector<ElementsAttr> constants;
  SmallVector<Use> uses;
  FloatType float16; // represents all elements; null: none does

  bool isReadElsewhere = false; // then the constant of f32 stays, too
  /// Whether the second layout of weights that kernels share counts. By default
  /// it does not: a library for a range of sizes has the bits, and the speed,
  /// of those that are compiled for one size.
  bool limitsLayouts = false;

  /// From the fastest to the smallest. Each saves more bytes per cycle than
  /// the next.
  SmallVector<Choice> choices;
  size_t chosen = 0;

  double bytesOf(const Choice &choice, const kernel::Target &target) const {
    double elements = 0, transformed = 0;
    for (ElementsAttr constant : constants)
      elements += double(constant.getNumElements());
    llvm::SmallVector<ArrayRef<int64_t>> tiles;
    bool isRaw = isReadElsewhere, isInPanels = false, usesPairing = false;
    for (const Use &use : uses) {
      if (use.isDirect(choice.form)) {
        bool pairing = use.usesPairing(target) && !choice.asFloat16 &&
                       !choice.withoutPairing;
        (pairing ? usesPairing : isInPanels) = true;
      } else if (choice.form == Form::TransformedAtRun) {
        isRaw = true;
      } else if (ArrayRef<int64_t> size = use.known.tiles;
                 !llvm::is_contained(tiles, size)) {
        tiles.push_back(size);
        transformed += double(use.known.filterElements) * sizeof(float) *
                       double(constants.size());
      }
    }
    int panels = limitsLayouts ? int(isInPanels) + int(usesPairing)
                               : int(isInPanels || usesPairing);
    int layouts = int(isRaw) + panels;
    return transformed + elements * (choice.asFloat16 ? 2 : 4) * layouts;
  }

  void findChoices(const kernel::Target &target) {
    SmallVector<Choice> all;
    for (Form form : {Form::Transformed, Form::TransformedAtRun, Form::Direct})
      for (bool asFloat16 : {false, true})
        for (bool withoutPairing : {false, true}) {
          if ((asFloat16 && (withoutPairing || !float16)) ||
              (withoutPairing && !limitsLayouts))
            continue;
          Choice choice{form, asFloat16, withoutPairing};
          choice.bytes = bytesOf(choice, target);
          for (const Use &use : uses)
            choice.cycles += use.cycles(choice, target);
          all.push_back(choice);
        }
    // Without a budget, filters are transformed and weights widened.
    choices = {all.front()};
    while (true) {
      const Choice from = choices.back();
      const Choice *best = nullptr;
      for (const Choice &to : all)
        if (to.bytes < from.bytes &&
            (!best || price(from, to) < price(from, *best)))
          best = &to;
      if (!best)
        return;
      choices.push_back(*best);
    }
  }

  /// Cycles for a byte that is saved.
  static double price(const Choice &from, const Choice &to) {
    return std::max(0., to.cycles - from.cycles) / (from.bytes - to.bytes);
  }
  double nextPrice() const {
    return chosen + 1 < choices.size()
               ? price(choices[chosen], choices[chosen + 1])
               : HUGE_VAL;
  }

  void apply() const {
    const Choice &choice = choices[chosen];
    for (Use use : uses) {
      if (choice.asFloat16)
        attrs::storedAs.setOnArgument(use.kernel, use.argument, float16);
      if (choice.withoutPairing)
        attrs::withoutPairing.setOnArgument(use.kernel, use.argument);
      if (choice.form == Form::Direct ||
          (choice.form == Form::TransformedAtRun && use.atRun.tiles.empty()))
        attrs::direct.set(use.op);
      else if (choice.form == Form::TransformedAtRun)
        attrs::transformAtRun.set(use.op);
    }
  }
};

/// Kernels read one element of a splat.
int64_t bytesOf(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  if (value.isSplat())
    return 0;
  return int64_t(llvm::divideCeil(
      uint64_t(type.getNumElements()) * type.getElementTypeBitWidth(), 8));
}

struct FitWeights : impl::FitWeightsBase<FitWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto budget = attrs::weightsBudget.of(module);
    attrs::widened.remove(module);
    if (!budget || attrs::gpu.isOn(module))
      return;
    auto target = kernel::Target::of(module);
    module.walk([&](graph::ConstantOp op) {
      numbers.try_emplace(op.getValue(), unsigned(numbers.size()));
    });
    findUses(module);
    std::vector<Weights> all = collect(module, target);
    double total = fixedBytes;
    for (const Weights &weights : all)
      total += weights.choices.front().bytes;
    total = fit(all, total, double(budget.getInt()));
    LLVM_DEBUG(llvm::dbgs() << "fits weights into " << total << " of "
                            << budget.getInt() << " bytes\n");
    for (const Weights &weights : all)
      weights.apply();
    if (!attrs::limitsLayouts.isOn(module))
      return;
    double left = std::max(0., double(budget.getInt()) - total);
    attrs::weightsLeft.set(module, int64_t(left));
  }

private:
  void findUses(ModuleOp module) {
    shared.grow(unsigned(numbers.size()));
    for (auto &[name, callers] : plan::tasksOfKernels(module)) {
      auto kernel = module.lookupSymbol<func::FuncOp>(name);
      if (!kernel)
        continue;
      for (BlockArgument argument : kernel.getArguments())
        if (auto use = useOf(kernel, argument, callers)) {
          unsigned first = numberOf(callers.front(), *use);
          for (plan::TaskOp task : callers)
            shared.join(first, numberOf(task, *use));
          uses.push_back({first, std::move(*use)});
        }
    }
    shared.compress();
  }

  unsigned numberOf(plan::TaskOp task, const Use &use) const {
    return numbers.lookup(constantOf(task, use.argument).getValue());
  }

  static graph::ConstantOp constantOf(plan::TaskOp task, unsigned index) {
    return task->getOperand(index).getDefiningOp<graph::ConstantOp>();
  }

  static std::optional<Use> useOf(func::FuncOp kernel, BlockArgument argument,
                                  ArrayRef<plan::TaskOp> callers) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    unsigned index = argument.getArgNumber();
    if (!type || !type.getElementType().isF32() || !argument.hasOneUse() ||
        attrs::host.isOn(kernel) || attrs::gemm.isOn(kernel) ||
        callers.empty() || !llvm::all_of(callers, [&](plan::TaskOp task) {
          return constantOf(task, index);
        }))
      return std::nullopt;
    Operation *op = *argument.user_begin();
    Use use{kernel, index, op, int64_t(callers.size()), {}, {}};
    if (auto convolution = dyn_cast<graph::ConvolutionOp>(op)) {
      if (convolution.getFilter() != argument || convolution.getX() == argument)
        return std::nullopt;
      RankedTensorType out = convolution.getType();
      use.columns = double(out.getShape().back());
      use.rows = double(out.getNumElements()) / use.columns;
      use.depth = double(type.getNumElements()) / use.columns;
      use.known = chooseConvolution(convolution, /*isKnown=*/true);
      use.atRun = chooseConvolution(convolution, /*isKnown=*/false);
    } else if (auto product = dyn_cast<graph::MatmulOp>(op)) {
      if (product.getB() != argument)
        return std::nullopt;
      RankedTensorType out = product.getType();
      use.columns = double(out.getShape().back());
      use.rows = double(out.getNumElements()) / use.columns;
      use.depth = double(type.getNumElements()) / use.columns;
    } else {
      return std::nullopt;
    }
    return use;
  }

  /// The weights whose form is chosen; adds up the bytes of all others.
  std::vector<Weights> collect(ModuleOp module, const kernel::Target &target) {
    auto tasks = plan::tasksOfKernels(module);
    SmallVector<int64_t> readers(numbers.size());
    module.walk([&](graph::ConstantOp op) {
      readers[numbers.lookup(op.getValue())] +=
          std::distance(op->use_begin(), op->use_end());
    });
    for (auto &[number, use] : uses)
      for (plan::TaskOp task : tasks[use.kernel.getSymNameAttr()])
        --readers[numberOf(task, use)];
    std::vector<Weights> all(shared.getNumClasses());
    llvm::BitVector isRead(unsigned(all.size()));
    for (auto [value, number] : numbers) {
      all[shared[number]].constants.push_back(cast<ElementsAttr>(value));
      if (readers[number] > 0)
        isRead.set(shared[number]);
    }
    for (auto &[number, use] : uses)
      all[shared[number]].uses.push_back(std::move(use));
    std::vector<Weights> chosen;
    for (auto [i, weights] : llvm::enumerate(all)) {
      if (weights.uses.empty()) {
        for (ElementsAttr constant : weights.constants)
          fixedBytes += double(bytesOf(constant));
        continue;
      }
      weights.isReadElsewhere = isRead[unsigned(i)];
      weights.limitsLayouts = attrs::limitsLayouts.isOn(module);
      if (!weights.isReadElsewhere)
        weights.float16 = float16Of(weights, target);
      weights.findChoices(target);
      chosen.push_back(std::move(weights));
    }
    return chosen;
  }

  /// Depthwise kernels and tile registers read f32.
  static FloatType float16Of(const Weights &weights,
                             const kernel::Target &target) {
    for (const Use &use : weights.uses)
      if (auto op = dyn_cast<graph::ConvolutionOp>(use.op);
          (op && (op.getGroups() != 1 || op.getType().getRank() > 4)) ||
          target.tiles)
        return {};
    FloatType float16;
    for (ElementsAttr constant : weights.constants)
      for (ElementsAttr part : PartsAttr::of(constant)) {
        auto bytes = rawBytes(part);
        FloatType type =
            bytes ? float16TypeOf(*bytes, constant.getContext()) : FloatType();
        if (!type || (float16 && float16 != type))
          return {};
        float16 = type;
      }
    return float16;
  }

  /// Changes the forms that cost the least first. Then it restores forms for
  /// which the budget has room. Returns the bytes of all weights.
  static double fit(std::vector<Weights> &all, double total, double budget) {
    while (total > budget) {
      auto cheapest =
          llvm::min_element(all, [](const Weights &a, const Weights &b) {
            return a.nextPrice() < b.nextPrice();
          });
      if (cheapest == all.end() || cheapest->nextPrice() == HUGE_VAL)
        return total;
      total -= cheapest->choices[cheapest->chosen].bytes;
      total += cheapest->choices[++cheapest->chosen].bytes;
    }
    for (Weights &weights : all)
      for (size_t i = 0; i < weights.chosen; ++i) {
        double more =
            weights.choices[i].bytes - weights.choices[weights.chosen].bytes;
        if (total + more <= budget) {
          total += more;
          weights.chosen = i;
        }
      }
    return total;
  }

  llvm::MapVector<Attribute, unsigned> numbers; // of values of constants
  llvm::IntEqClasses shared;                    // those that have one form
  std::vector<std::pair<unsigned, Use>> uses;
  double fixedBytes = 0;
};

} // namespace
} // namespace weir::lower
