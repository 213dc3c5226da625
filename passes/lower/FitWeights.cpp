// The forms of constant weights are chosen for a budget of bytes.
//
// A kernel of Winograd convolution reads transformed filters, which are 1.8 to
// 5.4 times as large, and kernels of f32 read weights of 16 bits widened. Where
// all of that is more than the budget, the forms that save the least time per
// byte are replaced: each run transforms a filter, or the convolution is a
// direct sum, or kernels widen weights of 16 bits in registers.

#include "passes/lower/ConvolutionCost.h"
#include "passes/lower/Passes.h"
#include "passes/lower/weights/WeightForms.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/packed/HalfConstants.h"
#include "dialects/graph/Neural.h"
#include "dialects/kernel/MinimalFilter.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_FITWEIGHTS
#include "passes/lower/Passes.h.inc"

namespace {

enum class Form { Transformed, TransformedAtRun, Direct };

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

  double cycles(Form form, bool halves, const kernel::Target &target) const {
    auto convolution = dyn_cast<graph::ConvolutionOp>(op);
    double cycles = 0;
    if (convolution)
      cycles = form == Form::Transformed        ? known.cycles
               : form == Form::TransformedAtRun ? atRun.cycles
                                                : known.directCycles;
    bool isDirect = form == Form::Direct ||
                    (form == Form::Transformed ? known : atRun).tiles.empty();
    if (halves && isDirect)
      cycles += wideningCycles(target);
    return double(calls) * cycles;
  }

  /// To widen each vector of weights for every tile of rows. Products of pairs
  /// read weights of f32 only, and take about 0.7 of the time.
  double wideningCycles(const kernel::Target &target) const {
    constexpr double tileRows = 12, pairedPart = 0.3, fewestPaired = 8;
    auto lanes = double(target.lanes(Float32Type::get(op->getContext())));
    double vectors = depth * std::ceil(columns / lanes);
    double cycles = vectors * std::ceil(rows / tileRows);
    if (target.addsBeside && rows >= fewestPaired)
      cycles += pairedPart * vectors * rows;
    return cycles;
  }
};

/// Constants that share kernels, so that they have one form.
struct Weights {
  SmallVector<ElementsAttr> constants;
  SmallVector<Use> uses;
  FloatType half; // represents all elements; null: none does

  struct Choice {
    Form form;
    bool halves;
    double bytes, cycles;
  };
  /// From the fastest to the smallest. Each saves more bytes per cycle than
  /// the next.
  SmallVector<Choice> choices;
  size_t chosen = 0;

  double bytesOf(Form form, bool halves) const {
    double elements = 0, transformed = 0, plain = 0;
    for (ElementsAttr constant : constants)
      elements += double(constant.getNumElements());
    llvm::SmallVector<ArrayRef<int64_t>> tiles;
    bool isRaw = false, isPacked = false;
    for (const Use &use : uses) {
      const ConvolutionChoice &choice =
          form == Form::Transformed ? use.known : use.atRun;
      if (form == Form::Direct || choice.tiles.empty())
        isPacked = true;
      else if (form == Form::TransformedAtRun)
        isRaw = true;
      else if (!llvm::is_contained(tiles, ArrayRef(choice.tiles))) {
        tiles.push_back(choice.tiles);
        transformed += double(choice.filterElements) * sizeof(float) *
                       double(constants.size());
      }
    }
    plain = elements * (halves ? 2 : 4) * (int(isRaw) + int(isPacked));
    return transformed + plain;
  }

  void findChoices(const kernel::Target &target) {
    SmallVector<Choice> all;
    for (Form form : {Form::Transformed, Form::TransformedAtRun, Form::Direct})
      for (bool halves : {false, true}) {
        if (halves && !half)
          continue;
        double cycles = 0;
        for (const Use &use : uses)
          cycles += use.cycles(form, halves, target);
        all.push_back({form, halves, bytesOf(form, halves), cycles});
      }
    // Without a budget, filters are transformed and weights widened.
    choices = {all.front()};
    while (true) {
      const Choice &from = choices.back();
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
      UnitAttr unit = UnitAttr::get(use.op->getContext());
      if (choice.halves)
        use.kernel.setArgAttr(use.argument, storedAsName, TypeAttr::get(half));
      if (choice.form == Form::Direct ||
          (choice.form == Form::TransformedAtRun && use.atRun.tiles.empty()))
        use.op->setAttr(directName, unit);
      else if (choice.form == Form::TransformedAtRun)
        use.op->setAttr(transformAtRunName, unit);
    }
  }
};

/// Of a splat kernels read one element.
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
    auto budget = module->getAttrOfType<IntegerAttr>("weir.weights_budget");
    if (!budget || module->hasAttr("weir.gpu"))
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
    fit(all, total, double(budget.getInt()));
    for (const Weights &weights : all)
      weights.apply();
    module->removeAttr(widenedName);
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
        kernel->hasAttr("weir.host") || callers.empty() ||
        !llvm::all_of(callers, [&](plan::TaskOp task) {
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

  /// The weights whose form is chosen; adds up the bytes of all others, which
  /// something else reads too.
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
      if (weights.uses.empty() || isRead[unsigned(i)]) {
        for (ElementsAttr constant : weights.constants)
          fixedBytes += double(bytesOf(constant));
        continue;
      }
      weights.half = halfOf(weights, target);
      weights.findChoices(target);
      chosen.push_back(std::move(weights));
    }
    return chosen;
  }

  /// Depthwise kernels and the tiles of AMX read f32.
  static FloatType halfOf(const Weights &weights,
                          const kernel::Target &target) {
    for (const Use &use : weights.uses)
      if (auto op = dyn_cast<graph::ConvolutionOp>(use.op);
          (op && (op.getGroups() != 1 || op.getType().getRank() > 4)) ||
          target.tiles)
        return {};
    FloatType half;
    for (ElementsAttr constant : weights.constants) {
      auto bytes = rawBytes(constant);
      FloatType type =
          bytes ? halfTypeOf(*bytes, constant.getContext()) : FloatType();
      if (!type || (half && half != type))
        return {};
      half = type;
    }
    return half;
  }

  /// Takes the cheapest bytes first, then gives back what is left.
  static void fit(std::vector<Weights> &all, double total, double budget) {
    while (total > budget) {
      auto cheapest =
          llvm::min_element(all, [](const Weights &a, const Weights &b) {
            return a.nextPrice() < b.nextPrice();
          });
      if (cheapest == all.end() || cheapest->nextPrice() == HUGE_VAL)
        return;
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
  }

  llvm::MapVector<Attribute, unsigned> numbers; // of values of constants
  llvm::IntEqClasses shared;                    // those that have one form
  std::vector<std::pair<unsigned, Use>> uses;
  double fixedBytes = 0;
};

} // namespace
} // namespace weir
