// The sharding rule of each op that has one.

#include "dialects/graph/sharding/Rule.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::graph {
namespace {

using Letters = ShardingRule::Letters;
constexpr int whole = ShardingRule::whole;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

unsigned rankOf(Value value) { return shapeOf(value).size(); }

/// 0, 1, 2 ...
Letters count(unsigned rank) {
  Letters letters(rank);
  for (auto [i, letter] : llvm::enumerate(letters))
    letter = static_cast<int>(i);
  return letters;
}

Letters allWhole(Value value) { return Letters(rankOf(value), whole); }

/// All operands and results have the dimensions of the first result; scalars
/// may be among the operands.
ShardingRule alike(Operation *op, Letters letters) {
  ShardingRule rule;
  for (Value operand : op->getOperands())
    rule.operands.push_back(
        rankOf(operand) == letters.size() ? letters : allWhole(operand));
  rule.results.assign(op->getNumResults(), letters);
  return rule;
}

/// All dimensions but the last.
ShardingRule rows(Operation *op) {
  Letters letters = count(rankOf(op->getOperand(0)));
  if (!letters.empty())
    letters.back() = whole;
  return alike(op, letters);
}

/// All dimensions but the last two, which hold matrices.
ShardingRule matrices(Operation *op) {
  ShardingRule rule;
  for (auto [values, lists] : {std::pair<ValueRange, SmallVector<Letters> *>(
                                   op->getOperands(), &rule.operands),
                               std::pair<ValueRange, SmallVector<Letters> *>(
                                   op->getResults(), &rule.results)})
    for (Value value : values) {
      // A sign or a permutation has fewer dimensions than the matrices.
      unsigned batch = rankOf(op->getOperand(0)) - 2;
      Letters letters = allWhole(value);
      for (unsigned d = 0; d < std::min<unsigned>(batch, letters.size()); ++d)
        letters[d] = static_cast<int>(d);
      lists->push_back(letters);
    }
  return rule;
}

ShardingRule ruleOf(MatmulOp op) {
  unsigned rank = rankOf(op.getA());
  Letters batch = count(rank - 2), a = batch, b = batch, result = batch;
  int m = static_cast<int>(rank), n = m + 1, k = m + 2;
  // A depth counts the terms of a whole sum.
  ShardingRule rule;
  rule.combined[k] = Combine::sum;
  int depth = op.getDepth() ? whole : k;
  a.append({op.getTransposeA() ? depth : m, op.getTransposeA() ? m : depth});
  b.append({op.getTransposeB() ? n : depth, op.getTransposeB() ? depth : n});
  result.append({m, n});
  rule.operands = {a, b};
  if (op.getDepth())
    rule.operands.push_back({});
  rule.results = {result};
  return rule;
}

/// The windows stay whole. Channels of one group are divided, too.
ShardingRule ruleOf(ConvolutionOp op) {
  unsigned rank = rankOf(op.getX());
  int n = 0, ci = 1, co = 2;
  bool hasGroups = op.getGroups() != 1;
  Letters x(rank, whole), filter(rank, whole), result(rank, whole);
  x.front() = result.front() = n;
  ShardingRule rule;
  rule.combined[ci] = Combine::sum;
  if (!hasGroups) {
    x.back() = filter[rank - 2] = ci;
    filter.back() = result.back() = co;
  }
  rule.operands = {x, filter};
  rule.results = {result};
  return rule;
}

ShardingRule ruleOf(FilterGradientOp op) {
  unsigned rank = rankOf(op.getX());
  int n = 0, ci = 1, co = 2;
  bool hasGroups = op.getGroups() != 1;
  Letters x(rank, whole), results(rank, whole), result(rank, whole);
  x.front() = results.front() = n;
  ShardingRule rule;
  rule.combined[n] = Combine::sum;
  if (!hasGroups) {
    x.back() = result.back() = ci;
    results.back() = result.front() = co;
  }
  rule.operands = {x, results};
  rule.results = {result};
  return rule;
}

/// Images and channels. The index of the largest element counts channels, too.
ShardingRule ruleOfPool(Operation *op) {
  Letters letters(rankOf(op->getOperand(0)), whole);
  letters.front() = 0;
  if (!isa<PoolArgMaxOp>(op))
    letters.back() = 1;
  return alike(op, letters);
}

std::optional<Combine> combineOf(Reduction kind) {
  switch (kind) {
  case Reduction::sum:
    return Combine::sum;
  case Reduction::max:
    return Combine::max;
  case Reduction::min:
    return Combine::min;
  default:
    return std::nullopt;
  }
}

ShardingRule ruleOfReduction(Operation *op, ArrayRef<int64_t> dimensions,
                             std::optional<Combine> combine) {
  Letters x = count(rankOf(op->getOperand(0))), result;
  ShardingRule rule;
  for (auto [d, letter] : llvm::enumerate(x)) {
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d)))
      result.push_back(letter);
    else if (combine)
      rule.combined[letter] = *combine;
    else
      letter = whole;
  }
  rule.operands = {x};
  rule.results = {result};
  return rule;
}

/// Dimensions that the op leaves as they are keep their letters.
template <typename Keeps>
ShardingRule ruleByDims(Operation *op, Keeps keeps) {
  Letters letters = count(rankOf(op->getOperand(0)));
  for (auto [d, letter] : llvm::enumerate(letters))
    if (!keeps(d))
      letter = whole;
  return alike(op, letters);
}

ShardingRule ruleOf(TransposeOp op) {
  ShardingRule rule;
  rule.operands = {count(rankOf(op.getX()))};
  rule.results = {Letters()};
  for (int64_t d : op.getPermutation())
    rule.results[0].push_back(static_cast<int>(d));
  return rule;
}

ShardingRule ruleOf(BroadcastOp op) {
  Letters result = count(rankOf(op.getResult())), x;
  for (auto [d, to] : llvm::enumerate(op.getDims()))
    x.push_back(shapeOf(op.getX())[d] == shapeOf(op.getResult())[to]
                    ? result[to]
                    : whole);
  ShardingRule rule;
  rule.operands = {x};
  rule.results = {result};
  return rule;
}

/// A reshape divides both shapes into the shortest ranges of dimensions with
/// equal products. The outermost dimensions of a range share a letter: a part
/// of one is a part of the other.
ShardingRule ruleOf(ReshapeOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getX()), to = shapeOf(op.getResult());
  ShardingRule rule;
  rule.operands = {Letters(from.size(), whole)};
  rule.results = {Letters(to.size(), whole)};
  size_t i = 0, j = 0;
  for (int letter = 0; i < from.size() && j < to.size(); ++letter) {
    // A dimension of size 1 is in no range.
    if (from[i] == 1 || to[j] == 1) {
      i += from[i] == 1;
      j += j < to.size() && to[j] == 1;
      continue;
    }
    size_t first = i, second = j;
    int64_t a = from[i++], b = to[j++];
    while (a != b) {
      if (a < b ? i == from.size() : j == to.size())
        return rule;
      int64_t &side = a < b ? a : b;
      side *= a < b ? from[i++] : to[j++];
    }
    rule.operands[0][first] = rule.results[0][second] = letter;
  }
  return rule;
}

ShardingRule ruleOf(GatherOp op) {
  unsigned x = rankOf(op.getX()), indices = rankOf(op.getIndices());
  auto axis = static_cast<unsigned>(op.getAxis()),
       batch = static_cast<unsigned>(op.getBatchDims());
  Letters ofX = count(x), ofIndices = count(indices), result;
  for (unsigned d = batch; d < indices; ++d)
    ofIndices[d] = static_cast<int>(x + d);
  ofX[axis] = whole;
  result.assign(ofX.begin(), ofX.begin() + axis);
  result.append(ofIndices.begin() + batch, ofIndices.end());
  result.append(ofX.begin() + axis + 1, ofX.end());
  ShardingRule rule;
  rule.operands = {ofX, ofIndices};
  rule.results = {result};
  return rule;
}

/// Ranks add their own updates to zeros, or all updates to their part of the
/// dimensions that no index selects.
std::optional<ShardingRule> ruleOf(ScatterOp op) {
  auto vector = static_cast<unsigned>(shapeOf(op.getIndices()).back());
  unsigned x = rankOf(op.getX()), indices = rankOf(op.getIndices());
  Letters ofX(x, whole), ofIndices(indices, whole), ofUpdates;
  for (unsigned d = vector; d < x; ++d)
    ofX[d] = static_cast<int>(d);
  ShardingRule rule;
  bool addsToZeros = op.getCombiner() == Combiner::add &&
                     (matchPattern(op.getX(), m_AnyZeroFloat()) ||
                      matchPattern(op.getX(), m_Zero()));
  for (unsigned d = 0; d + 1 < indices; ++d) {
    int letter = addsToZeros ? static_cast<int>(x + d) : whole;
    ofIndices[d] = letter;
    ofUpdates.push_back(letter);
    if (addsToZeros)
      rule.combined[letter] = Combine::sum;
  }
  ofUpdates.append(ofX.begin() + vector, ofX.end());
  rule.operands = {ofX, ofIndices, ofUpdates};
  rule.results = {ofX};
  return rule;
}

ShardingRule ruleOf(OneHotOp op) {
  Letters indices = count(rankOf(op.getIndices())), result = indices;
  result.insert(result.begin() + op.getAxis(), whole);
  ShardingRule rule;
  rule.operands = {indices, {}, {}};
  rule.results = {result};
  return rule;
}

ShardingRule ruleOf(DynamicSliceOp op) {
  return ruleByDims(
      op, [&](size_t d) { return op.getSizes()[d] == shapeOf(op.getX())[d]; });
}

ShardingRule ruleOf(DynamicUpdateSliceOp op) {
  return ruleByDims(op, [&](size_t d) {
    return shapeOf(op.getUpdate())[d] == shapeOf(op.getX())[d];
  });
}

} // namespace

std::optional<ShardingRule> shardingRuleOf(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<ShardingRule>>(op)
      .Case<MatmulOp, ConvolutionOp, FilterGradientOp, TransposeOp, BroadcastOp,
            ReshapeOp, GatherOp, ScatterOp, OneHotOp, DynamicSliceOp,
            DynamicUpdateSliceOp>([](auto op) { return ruleOf(op); })
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAndOp,
            ReduceOrOp>([](auto op) {
        return ruleOfReduction(op, op.getDimensions(), combineOf(op.kind));
      })
      .Case<ArgMaxOp, ArgMinOp>([](auto op) {
        return ruleOfReduction(op, {static_cast<int64_t>(op.getAxis())},
                               std::nullopt);
      })
      .Case<PoolMaxOp, PoolAverageOp, PoolArgMaxOp>(
          [](auto op) { return ruleOfPool(op); })
      .Case<SoftmaxOp, LogSoftmaxOp, SortOp, TopKOp, SearchSortedOp>(
          [](auto op) { return rows(op); })
      .Case<CholeskyOp, TriangularSolveOp, LuOp, QrOp, SvdOp>(
          [](auto op) { return matrices(op); })
      .Case<CumulativeSumOp, CumulativeProdOp, CumulativeLogSumExpOp>(
          [](auto op) {
            return ruleByDims(op, [&](size_t d) {
              return d != static_cast<size_t>(op.getAxis());
            });
          })
      .Case([](ReverseOp op) {
        return ruleByDims(op, [&](size_t d) {
          return !llvm::is_contained(op.getDims(), static_cast<int64_t>(d));
        });
      })
      .Case([](SliceOp op) {
        return ruleByDims(op, [&](size_t d) {
          return op.getStarts()[d] == 0 && op.getStrides()[d] == 1 &&
                 op.getLimits()[d] == shapeOf(op.getX())[d];
        });
      })
      .Case([](PadOp op) {
        return ruleByDims(op, [&](size_t d) {
          return !op.getLow()[d] && !op.getHigh()[d] && !op.getInterior()[d];
        });
      })
      .Case([](ConcatOp op) {
        return ruleByDims(op, [&](size_t d) {
          return d != static_cast<size_t>(op.getAxis());
        });
      })
      .Case([](IotaOp op) {
        Letters letters = count(rankOf(op.getResult()));
        letters[op.getAxis()] = whole;
        return alike(op, letters);
      })
      .Case<BarrierOp, StopGradientOp>(
          [](auto op) { return alike(op, count(rankOf(op->getResult(0)))); })
      .Default([](Operation *op) -> std::optional<ShardingRule> {
        if (!isa<ScalarOpInterface>(op))
          return std::nullopt;
        return alike(op, count(rankOf(op->getResult(0))));
      });
}

DenseI64ArrayAttr inheritedShards(Operation *op) {
  std::optional<ShardingRule> rule;
  llvm::SmallDenseMap<int, int64_t> axesOf;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Operation *maker = operand.getDefiningOp();
    DenseI64ArrayAttr shards = maker ? attrs::shards.of(maker) : nullptr;
    if (!shards)
      continue;
    if (!rule)
      rule = shardingRuleOf(op);
    if (!rule || rule->operands[i].size() != static_cast<size_t>(shards.size()))
      return {};
    for (auto [letter, axes] :
         llvm::zip_equal(rule->operands[i], shards.asArrayRef()))
      if (axes && letter != whole)
        axesOf[letter] = axes;
  }
  if (axesOf.empty())
    return {};
  SmallVector<int64_t> result;
  for (int letter : rule->results[0])
    result.push_back(axesOf.lookup(letter));
  return DenseI64ArrayAttr::get(op->getContext(), result);
}

} // namespace weir::graph
