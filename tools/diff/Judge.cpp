// Compares two sides tensor by tensor, and finds where differences begin.

#include "tools/diff/Judge.h"

#include "tools/diff/Bounds.h"
#include <cmath>

using namespace mlir;

namespace weir::diff {

using reference::TensorRef;

namespace {

class Judge {
public:
  Judge(const Model &model, const DiffOptions &options,
        const reference::Limits &limits, const Side &a, const Side &b,
        const ReferenceRun &run, Result &result)
      : model(model), options(options), limits(limits), a(a), b(b), run(run),
        result(result) {}

  Status compareAll() {
    result.differences.resize(model.tensors.size());
    bounds.resize(model.tensors.size());
    for (size_t i = 0; i < model.tensors.size(); ++i) {
      if (Status status = compareOne(i); status != Status::ok)
        return status;
      if (options.stopsAtFirst && differs(result, options)) {
        result.isCut = i + 1 < model.tensors.size();
        return Status::ok;
      }
    }
    return Status::ok;
  }

private:
  Status compareOne(size_t i) {
    const Kept &kept = model.tensors[i];
    TensorRef left, right;
    if (Status status = a.read(kept, left); status != Status::ok)
      return status;
    if (Status status = b.read(kept, right); status != Status::ok)
      return status;
    if (!left || !right) {
      ++result.skipped;
      return Status::ok;
    }
    ++result.compared;
    Subgraph subgraph =
        subgraphOf(model.function, kept.value,
                   [&](Value value) { return known.contains(value); });
    Bound byOps = boundOf(subgraph, run.magnitudes, usualOf(*right));
    // A further name of a value has its bound.
    auto found = known.find(kept.value);
    bounds[i] = found == known.end() ? byOps : bounds[found->second];
    bool isRequested = options.hasTolerance();
    Bound own = isRequested ? requestedBound(options) : bounds[i];
    Difference difference = compare(*left, *right, own);
    result.differences[i] = difference;
    // Names of one value share the first tensor of it.
    if (!kept.sizes)
      known.try_emplace(kept.value, i);
    if (!difference.isBeyond)
      return Status::ok;
    Finding finding = {i,
                       Verdict::inherited,
                       std::move(difference),
                       {},
                       {},
                       operandsOf(subgraph, i),
                       std::move(subgraph),
                       {isRequested ? own : byOps}};
    // A library need not round as the tolerance of the user has it.
    if (!b.isReference() && isRequested)
      finding.accepted.push_back(byOps);
    if (Status status = explain(finding, *left, *right); status != Status::ok)
      return status;
    if (finding.isOrigin()) {
      ++result.origins;
      if (Operation *op = kept.value.getDefiningOp())
        origins.insert(op);
    }
    result.findings.push_back(std::move(finding));
    return Status::ok;
  }

  /// The largest finite magnitude of a tensor.
  static double usualOf(const reference::Tensor &tensor) {
    double most = 0;
    for (int64_t i = 0; tensor.isFloat() && i < tensor.size(); ++i)
      if (std::isfinite(tensor[i].number))
        most = std::max(most, std::abs(tensor[i].number));
    return most;
  }

  SmallVector<size_t> operandsOf(const Subgraph &subgraph, size_t self) const {
    SmallVector<size_t> all;
    for (Value input : subgraph.inputs)
      if (auto found = known.find(input);
          found != known.end() && found->second != self)
        all.push_back(found->second);
    return all;
  }

  Status evaluateOn(const Side &side, const Subgraph &subgraph,
                    TensorRef &value) {
    SmallVector<TensorRef> inputs;
    Status status = readInputs(model, subgraph, side, run, inputs);
    if (status == Status::ok)
      value = evaluateSubgraph(subgraph, *model.module, inputs, limits);
    return status;
  }

  Status explain(Finding &finding, const reference::Tensor &left,
                 const reference::Tensor &right) {
    bool reachesOrigin = llvm::any_of(
        finding.subgraph.ops, [&](Operation *op) { return origins.contains(op); });
    if (reachesOrigin)
      return Status::ok;
    auto judgeSide = [&](const Side &side, const reference::Tensor &own,
                         std::optional<Difference> &local) {
      TensorRef value;
      Status status = Status::ok;
      // Tensors with dynamic shapes are parts of their buffers.
      if (!model.tensors[finding.tensor].sizes)
        status = evaluateOn(side, finding.subgraph, value);
      if (value)
        local = compare(own, *value, finding.accepted);
      return status;
    };
    if (Status status = judgeSide(a, left, finding.localA);
        status != Status::ok)
      return status;
    if (!b.isReference())
      if (Status status = judgeSide(b, right, finding.localB);
          status != Status::ok)
        return status;
    finding.verdict = verdictOf(finding);
    return Status::ok;
  }

  Verdict verdictOf(const Finding &finding) const {
    bool isWrongA = finding.localA && finding.localA->isBeyond;
    bool isWrongB = finding.localB && finding.localB->isBeyond;
    if (isWrongA || isWrongB)
      return !isWrongB   ? Verdict::wrongInA
             : !isWrongA ? Verdict::wrongInB
                         : Verdict::wrongInBoth;
    bool isEvaluated = finding.localA || finding.localB;
    bool hasSameOperands =
        finding.subgraph.isClosed &&
        llvm::all_of(finding.operands, [&](size_t operand) {
          return isEvaluated ? result.differences[operand]->isEqual()
                             : !result.differences[operand]->isBeyond;
        });
    if (b.isReference() && isEvaluated)
      return Verdict::inherited;
    return hasSameOperands ? Verdict::disagrees : Verdict::inherited;
  }

  const Model &model;
  const DiffOptions &options;
  const reference::Limits &limits;
  const Side &a, &b;
  const ReferenceRun &run;
  Result &result;
  /// The tensors that both sides have, by value.
  llvm::DenseMap<Value, size_t> known;
  /// By the number of the tensor.
  std::vector<Bound> bounds;
  llvm::DenseSet<Operation *> origins;
};

} // namespace

const Finding *Result::firstOrigin() const {
  auto found = llvm::find_if(
      findings, [](const Finding &finding) { return finding.isOrigin(); });
  return found == findings.end() ? nullptr : &*found;
}

bool differs(const Result &result, const DiffOptions &options) {
  return options.hasTolerance() ? !result.findings.empty()
                                : result.origins != 0;
}

Status readInputs(const Model &model, const Subgraph &subgraph,
                  const Side &side, const ReferenceRun &run,
                  SmallVectorImpl<TensorRef> &inputs) {
  for (Value input : subgraph.inputs) {
    TensorRef tensor;
    auto kept = llvm::find_if(model.tensors, [&](const Kept &each) {
      return each.value == input && !each.sizes;
    });
    // Both sides have the same inputs of the model.
    if (isa<func::FuncOp>(input.getParentBlock()->getParentOp()) &&
        isa<BlockArgument>(input))
      tensor = run.values.lookup(input);
    else if (kept != model.tensors.end())
      if (Status status = side.read(*kept, tensor); status != Status::ok)
        return status;
    inputs.push_back(tensor);
  }
  return Status::ok;
}

Status judge(const Model &model, const DiffOptions &options,
             const reference::Limits &limits, const Side &a, const Side &b,
             const ReferenceRun &run, Result &result) {
  return Judge(model, options, limits, a, b, run, result).compareAll();
}

} // namespace weir::diff
