// The loss of connectionist temporal classification (Graves et al., 2006): how
// unlikely it is that a sequence of classes, without its blanks and
// repetitions, is the sequence of labels; and its derivatives. The sum over all
// ways to spell the labels is done forward and backward over the steps, in
// logarithms.

#include "compiler/import/tensorflow/sparse/Sparse.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/build/Steps.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/gradients/Gradient.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

Expr both(Expr x, Expr y) { return apply<graph::LogicalAndOp>(x, y); }
Expr either(Expr x, Expr y) { return apply<graph::LogicalOrOp>(x, y); }
Expr negated(Expr x) { return apply<graph::LogicalNotOp>(x); }
Expr less(Expr x, Expr y) { return apply<graph::LessOp>(x, y); }
Expr equal(Expr x, Expr y) { return apply<graph::EqualOp>(x, y); }

/// 0, 1, .. as i64, one row.
Expr row(ImplicitLocOpBuilder &b, int64_t count) {
  return reshape(iota(b, count), {1, count});
}

/// The logarithm of 0.
Expr never(Expr x) { return x.like(-HUGE_VAL); }

/// The logarithm of the sum along the last dimension of what `x` are logarithms
/// of, of which all may be 0.
Expr logSum(Expr x) {
  int64_t last = x.rank() - 1;
  Expr most(*x.b,
            make<graph::ReduceMaxOp>(*x.b, x.value, ArrayRef<int64_t>{last}));
  most = select(equal(most, never(most)), most.like(0), most);
  Integers kept(x.shape());
  kept.back() = 1;
  Expr parts = apply<graph::ExpOp>(x - reshape(most, kept));
  return apply<graph::LogOp>(sum(parts, {last})) + most;
}

/// The same of three tensors, element by element.
Expr logSum(Expr x, Expr y, Expr z) {
  Expr most = maximum(maximum(x, y), z);
  most = select(equal(most, never(most)), most.like(0), most);
  Expr parts = apply<graph::ExpOp>(x - most) + apply<graph::ExpOp>(y - most) +
               apply<graph::ExpOp>(z - most);
  return apply<graph::LogOp>(parts) + most;
}

/// What a node is about: logits [steps, sequences, classes], of which there may
/// be fewer steps and sequences than in their place.
struct Problem {
  Expr logits;
  int64_t steps = 0, count = 0, classes = 0, blank = 0;
  /// How many there are.
  Size stepsSize, countSize;
  /// Of each sequence, i64 [sequences].
  Expr lengths;
  /// Sequences that count for nothing, as they are too short.
  Expr skipped;
};

/// The labels of each sequence [sequences, labels], i64, and how many there are
/// [sequences, 1].
struct Labels {
  Expr labels, counts;
};

/// The logits, and how many there are of what.
FailureOr<Problem> problemOf(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  Expr logits = operand(node, 0), lengths = operand(node, 3);
  Type type = logits.elementType();
  if (logits.rank() != 3 || !(type.isF32() || type.isF64()) ||
      logits.size(0) == 0 || logits.size(2) < 2)
    return node.error() << "has no loss of " << logits.type();
  if (lengths.rank() != 1 || !lengths.elementType().isInteger(32))
    return node.error() << "has sequences of lengths " << lengths.type();
  Sizes sizes = sizesOf(node.traced(0));
  if (!sizes[2].isKnown())
    return node.unsupported("a number of classes known only at run time");
  auto count = agreedSize(node, sizes[1], sizesOf(node.traced(3))[0],
                          "logits and lengths of sequences");
  if (failed(count))
    return failure();
  sizes[1] = *count;
  Problem problem;
  problem.logits =
      Expr(node.b, paddedTo(node.b, logits.value, boundsOf(sizes)));
  problem.steps = sizes[0].bound;
  problem.count = count->bound;
  problem.classes = sizes[2].bound;
  problem.stepsSize = sizes[0];
  problem.countSize = *count;
  problem.blank = node.op() == "CTCLossV2" ? 0 : problem.classes - 1;
  lengths = cast(lengths, node.b.getI64Type());
  problem.lengths =
      Expr(node.b, paddedTo(node.b, lengths.value, {problem.count}));
  return problem;
}

/// Labels and their coordinates, checked: they are in the order of their
/// sequences.
FailureOr<Labels> readLabels(Node &node, Problem &problem) {
  ImplicitLocOpBuilder &b = node.b;
  Expr positions = operand(node, 1), values = operand(node, 2);
  if (positions.rank() != 2 || positions.size(1) != 2 || values.rank() != 1 ||
      !isIndexType(positions.elementType()) ||
      !values.elementType().isInteger(32))
    return node.error() << "has labels " << values.type() << " at "
                        << positions.type();
  auto size =
      agreedSize(node, sizesOf(node.traced(1))[0], sizesOf(node.traced(2))[0],
                 "labels and their coordinates");
  if (failed(size))
    return failure();
  int64_t count = problem.count, all = size->bound;
  if (problem.countSize.isKnown() ? all < count : all == 0)
    return node.error() << "has " << all << " labels for " << count
                        << " sequences";
  // More labels than steps are of no sequence that counts.
  int64_t most = std::min(all, problem.steps), spelled = 2 * most + 1;
  for (const Integers &shape :
       {Integers{count, all}, Integers{count, most, most},
        Integers{problem.steps, count, spelled},
        Integers{count, spelled, problem.classes}})
    if (failed(countOrError(node, shape)))
      return failure();
  Type type = b.getI64Type();
  positions = Expr(b, paddedTo(b, positions.value, {all, 2}));
  values = cast(Expr(b, paddedTo(b, values.value, {all})), type);
  Expr owners = reshape(cast(slice(positions, 1, 0, 1), type), {all});
  Expr known = both(less(owners.like(-1), owners),
                    less(owners, exactly(b, problem.countSize)));
  // Labels beyond their number are of no sequence, behind all others.
  Expr beyond = negated(within(b, *size));
  if (failed(check(node, either(known, beyond),
                   "a label is of none of the sequences")))
    return failure();
  owners = select(beyond, owners.like(static_cast<double>(count)), owners);
  if (all > 1)
    if (failed(check(node,
                     negated(less(slice(owners, 0, 1, all - 1),
                                  slice(owners, 0, 0, all - 1))),
                     "the labels are not in the order of their sequences")))
      return failure();
  Expr own =
      equal(reshape(owners, {1, all}), reshape(iota(b, count), {count, 1}));
  Expr counts = sum(cast(own, type), {1});
  Expr exists = within(b, problem.countSize);
  if (failed(check(node, either(less(counts.like(0), counts), negated(exists)),
                   "a sequence has no labels")))
    return failure();
  problem.lengths = select(exists, problem.lengths, problem.lengths.like(0));
  Expr fits = both(less(problem.lengths.like(-1), problem.lengths),
                   less(problem.lengths, exactly(b, problem.stepsSize) + 1));
  if (failed(check(node, fits, "a length is not 0 to the number of steps")))
    return failure();
  problem.skipped = less(problem.lengths, counts);
  if (!node.boolAttr("ignore_longer_outputs_than_inputs") &&
      failed(check(node, negated(problem.skipped),
                   "a sequence has more labels than steps")))
    return failure();
  Expr starts = reshape(runningSum(counts, /*exclusive=*/true), {count, 1});
  Expr at = reshape(starts + row(b, most), {count * most});
  counts = reshape(counts, {count, 1});
  return Labels{reshape(gather(values, at, 0), {count, most}), counts};
}

/// Labels that are classes, without those that repeat the one before where so
/// asked. The last class and those beyond end a sequence, where they are blank.
FailureOr<Labels> keepLabels(Node &node, const Problem &problem, Labels given) {
  ImplicitLocOpBuilder &b = node.b;
  Expr labels = given.labels;
  int64_t count = problem.count, most = labels.size(1);
  Expr keeps = less(row(b, most), given.counts);
  // In place of what is before the first: no class.
  auto before = [&](Expr x, double first) {
    Expr none = broadcast(x.like(first), {count, 1});
    return most > 1 ? concat({none, slice(x, 1, 0, most - 1)}, 1) : none;
  };
  bool endsByBlank = problem.blank > 0;
  Expr isClass = less(labels.like(endsByBlank ? -1 : 0), labels);
  if (!endsByBlank)
    isClass =
        both(isClass,
             less(labels, labels.like(static_cast<double>(problem.classes))));
  if (failed(check(node, either(isClass, negated(keeps)),
                   "a label is none of the " + Twine(problem.classes) +
                       " classes")))
    return failure();
  if (endsByBlank) {
    Expr last = labels.like(static_cast<double>(problem.blank));
    Expr ends = negated(less(labels, last));
    Expr resumes = both(
        keeps, both(negated(ends), negated(less(before(labels, -1), last))));
    if (failed(
            check(node, negated(resumes), "a label follows one that is blank")))
      return failure();
    keeps = both(keeps, negated(ends));
  }
  Type type = b.getI64Type();
  if (node.boolAttr("preprocess_collapse_repeated")) {
    keeps = both(keeps, negated(equal(labels, before(labels, -1))));
    Expr ones = cast(keeps, type);
    Expr ranks(b, make<graph::CumulativeSumOp>(b, ones.type(), ones.value,
                                               uint64_t(1), /*exclusive=*/true,
                                               /*reverse=*/false));
    auto wide = [&](Expr x) { return reshape(x, {count, most, 1}); };
    Expr moves = both(wide(keeps),
                      equal(wide(ranks), reshape(row(b, most), {1, 1, most})));
    labels = sum(select(moves, wide(labels), labels.like(0)), {1});
  }
  Expr counts = sum(cast(keeps, type), {1}, /*keep=*/true);
  labels = select(less(row(b, most), counts), labels,
                  labels.like(static_cast<double>(problem.blank)));
  return Labels{labels, counts};
}

/// Blanks around and between the labels, [sequences, places], and between which
/// of them a step may lead, to each place: from itself, and from two before.
struct Spelling {
  Expr classes, stays, skips;
  /// Where a spelling ends: at the last label or the blank behind it.
  Expr isLast;
};

Spelling spell(ImplicitLocOpBuilder &b, const Problem &problem,
               const Labels &given, bool merges) {
  int64_t count = problem.count, most = given.labels.size(1),
          positions = 2 * most + 1;
  Expr blank = given.labels.like(static_cast<double>(problem.blank));
  auto blanks = [&](ArrayRef<int64_t> shape) {
    return broadcast(blank, shape);
  };
  Expr pairs = concat(
      {blanks({count, most, 1}), reshape(given.labels, {count, most, 1})}, 2);
  Spelling spelling;
  Expr classes =
      concat({reshape(pairs, {count, 2 * most}), blanks({count, 1})}, 1);
  spelling.classes = classes;
  Expr position = broadcast(row(b, positions), classes.shape());
  Expr isLabel = equal(apply<graph::FloorModOp>(position, position.like(2)),
                       position.like(1));
  spelling.skips = isLabel;
  spelling.stays = negated(isLabel);
  if (merges) {
    Expr earlier =
        concat({blanks({count, 2}), slice(classes, 1, 0, positions - 2)}, 1);
    spelling.skips = both(isLabel, negated(equal(classes, earlier)));
    spelling.stays = either(isLabel, spelling.stays);
  }
  // Place 2n is the blank behind n labels.
  Expr end = given.counts * 2;
  spelling.isLast = either(equal(position, end), equal(position, end - 1));
  return spelling;
}

/// CTCLoss, whose blank is the last class, and CTCLossV2, whose is the first.
LogicalResult importLoss(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  auto read = problemOf(node);
  if (failed(read))
    return failure();
  Problem &problem = *read;
  Expr logits = problem.logits;
  Type type = logits.elementType();
  int64_t steps = problem.steps, count = problem.count;
  if (count == 0)
    return node.tracedResults(
        {withSizes(filled(node, {0}, type, 0).value, {problem.countSize}),
         node.traced(0)});
  auto given = readLabels(node, problem);
  if (failed(given))
    return failure();
  auto labels = keepLabels(node, problem, *given);
  if (failed(labels))
    return failure();
  Spelling spelling =
      spell(b, problem, *labels, node.boolAttr("ctc_merge_repeated", true));
  int64_t positions = spelling.classes.size(1);
  Expr x = transpose(logits, {1, 0, 2});
  Expr most(b, make<graph::ReduceMaxOp>(b, x.value, ArrayRef<int64_t>{2}));
  x = x - reshape(most, {count, steps, 1});
  Expr powers = apply<graph::ExpOp>(x), total = sum(powers, {2}, true);
  Expr chances = powers / total;
  Expr logs = x - apply<graph::LogOp>(total);
  // Of each place at each step, [steps, sequences, places].
  Expr emitted =
      transpose(Expr(b, make<graph::GatherOp>(b, logs.value,
                                              spelling.classes.value, 2, 1)),
                {1, 0, 2});
  auto unreached = [&](int64_t size) {
    return filled(node, {count, size}, type, -HUGE_VAL);
  };
  Expr lengths = reshape(problem.lengths, {count, 1});
  Expr store = filled(node, {steps, count, positions}, type, 0);

  // Before the first step as if at the first blank.
  Expr begin =
      concat({filled(node, {count, 1}, type, 0), unreached(positions - 1)}, 1);
  auto forward =
      repeat(b, steps, {begin, store}, [&](Expr i, ArrayRef<Expr> now) {
        Expr stay = select(spelling.stays, now[0], never(begin));
        Expr next =
            concat({unreached(1), slice(now[0], 1, 0, positions - 1)}, 1);
        Expr skip =
            concat({unreached(2), slice(now[0], 1, 0, positions - 2)}, 1);
        skip = select(spelling.skips, skip, never(begin));
        Expr reached = logSum(stay, next, skip) + partAt(emitted, 0, i);
        return SmallVector<Expr>{select(less(i, lengths), reached, now[0]),
                                 withPart(now[1], 0, i, reached)};
      });
  Expr likelihood = logSum(select(spelling.isLast, forward[0], never(begin)));
  Expr possible = less(never(likelihood), likelihood);

  Expr ends = select(spelling.isLast, begin.like(0), never(begin));
  auto backward = repeat(
      b, steps, {unreached(positions), store}, [&](Expr i, ArrayRef<Expr> now) {
        Expr t = number(b, steps - 1) - i;
        Expr stay = select(spelling.stays, now[0], never(begin));
        Expr next =
            concat({slice(now[0], 1, 1, positions - 1), unreached(1)}, 1);
        Expr skip = select(spelling.skips, now[0], never(begin));
        skip = concat({slice(skip, 1, 2, positions - 2), unreached(2)}, 1);
        Expr reached =
            select(less(t + 1, lengths), logSum(stay, next, skip), ends);
        return SmallVector<Expr>{reached + partAt(emitted, 0, t),
                                 withPart(now[1], 0, t, reached)};
      });
  // How probable it is to be at each place, and so at each class.
  Expr seen = select(possible, likelihood, likelihood.like(0));
  Expr at = apply<graph::ExpOp>(forward[1] + backward[1] -
                                reshape(seen, {1, count, 1}));
  at = select(reshape(possible, {1, count, 1}), at, at.like(0));
  Expr isOf = equal(reshape(spelling.classes, {count, positions, 1}),
                    reshape(iota(b, problem.classes), {1, 1, problem.classes}));
  Expr slope = chances - matmul(transpose(at, {1, 0, 2}), cast(isOf, type));
  Expr counts = both(less(row(b, steps), lengths),
                     reshape(negated(problem.skipped), {count, 1}));
  slope = select(reshape(counts, {count, steps, 1}), slope, slope.like(0));
  slope = transpose(slope, {1, 0, 2});
  Expr loss = select(problem.skipped, likelihood.like(0), -likelihood);
  if (!loss || !slope)
    return give(node, Expr());
  // The loss has these derivatives, and they have none, as TensorFlow's.
  if (watchedOf(node.tracer)) {
    Expr fixed(b, b.create<graph::StopGradientOp>(slope.value, StringAttr()));
    Expr path = select(equal(fixed, fixed.like(0)), fixed, fixed * logits);
    loss = alongside(node, loss, sum(path, {0, 2}));
    StringAttr why = b.getStringAttr("prevents gradients of the loss's own");
    slope = Expr(b, b.create<graph::StopGradientOp>(slope.value, why));
  }
  return node.tracedResults(
      {withSizes(loss.value, {problem.countSize}),
       withSizes(slope.value, {problem.stepsSize, problem.countSize,
                               Size{problem.classes, {}}})});
}

} // namespace

void addCtcLossHandlers(Handlers &handlers) {
  for (StringRef op : {"CTCLoss", "CTCLossV2"})
    handlers[op] = {importLoss, Takes::dynamic};
}

} // namespace weir::tensorflow
