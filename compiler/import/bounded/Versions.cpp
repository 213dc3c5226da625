// Versions of an entry for sizes of a dimension that only the run knows: the
// same graph in places of less room, under conditions.

#include "compiler/import/bounded/Versions.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/InputDims.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir {
namespace {

/// Versions without being asked for, each of which adds its own code to the
/// library.
constexpr size_t mostUnasked = 8;

/// The most that each of some dimensions may be in a version.
using Limits = SmallVector<std::pair<std::string, int64_t>>;

/// Sizes below the range's end so that little of a run's work is for nothing:
/// powers of two, and from 64 on those halfway between them; of a wide range
/// every second, third... only.
SmallVector<int64_t> sizesWithin(DimRange range, size_t most) {
  SmallVector<int64_t> all;
  for (int64_t size = 1; size < range.high && size < int64_t(1) << 61;
       size *= 2) {
    if (size >= range.low)
      all.push_back(size);
    if (size >= 64 && size / 2 * 3 < range.high && size / 2 * 3 >= range.low)
      all.push_back(size / 2 * 3);
  }
  // A kernel takes about as long for one row as for the 16 of a register tile.
  if (range.high > 64)
    llvm::erase_if(all, [](int64_t size) { return size < 16; });
  while (all.size() > most) {
    SmallVector<int64_t> some;
    for (size_t i = all.size() % 2 ? 0 : 1; i < all.size(); i += 2)
      some.push_back(all[i]);
    all = some;
  }
  return all;
}

/// The dynamic dimensions of the inputs, by the first of their names.
using Ranges = llvm::MapVector<StringAttr, DimRange>;
StringAttr nameOf(MLIRContext *context, const EntryPort &port, size_t dim) {
  return StringAttr::get(context, dimNamesOf(port, dim).front());
}
Ranges rangesOf(const VersionedEntry &source) {
  Ranges ranges;
  for (const EntryPort *port : source.inputs)
    for (auto [dim, range] : llvm::enumerate(port->open))
      if (range && range->low < range->high)
        ranges.insert({nameOf(source.report.context, *port, dim), *range});
  return ranges;
}

class Versions {
public:
  /// Versions that no one asked for are left out where they cannot be.
  Versions(const VersionedEntry &source, OpBuilder &builder,
           ArrayRef<Traced> fed, std::vector<Limits> versions, bool isAsked)
      : source(source), builder(builder), fed(fed),
        versions(std::move(versions)), isAsked(isAsked) {}

  /// Whether there are any, of dimensions that inputs of this entry have.
  bool areNeeded() const {
    return !versions.empty() &&
           llvm::any_of(source.inputs, [&](const EntryPort *port) {
             for (size_t dim = 0; dim < port->open.size(); ++dim)
               if (limitOf(*port, dim, versions.front()))
                 return true;
             return false;
           });
  }

  /// The versions from the `number`-th on, in an `if` each, and the one with
  /// room for all.
  FailureOr<SmallVector<Value>> build(size_t number) {
    if (number == versions.size())
      return buildWhole();
    ImplicitLocOpBuilder b(source.report.file(), builder);
    const Limits &limits = versions[number];
    Value condition = holds(b, limits);
    // Regions of an op in the program, so that what is traced in them is seen
    // to use values from around it.
    OperationState holding(b.getLoc(), graph::IfOp::getOperationName());
    holding.addOperands(condition);
    holding.addRegion();
    holding.addRegion();
    Operation *holder = builder.create(holding);
    Region &version = holder->getRegion(0), &others = holder->getRegion(1);
    FailureOr<SmallVector<Value>> values =
        branch(others, [&] { return build(number + 1); });
    if (failed(values))
      return failure();
    if (failed(
            attempt([&] { return buildVersion(limits, *values); }, version))) {
      if (isAsked)
        return failure();
      Block &block = others.front();
      block.getTerminator()->erase();
      builder.getInsertionBlock()->getOperations().splice(
          builder.getInsertionPoint(), block.getOperations());
      holder->erase();
      return values;
    }
    OperationState state(b.getLoc(), graph::IfOp::getOperationName());
    state.addOperands(condition);
    state.addTypes(ValueRange(*values).getTypes());
    state.addRegion()->takeBody(version);
    state.addRegion()->takeBody(others);
    Operation *op = builder.create(state);
    holder->erase();
    return SmallVector<Value>(op->getResults());
  }

  EntryResults whole;

private:
  /// The most that a dynamic dimension of the input may be.
  std::optional<int64_t> limitOf(const EntryPort &port, size_t dim,
                                 const Limits &limits) const {
    if (dim >= port.open.size() || !port.open[dim])
      return std::nullopt;
    SmallVector<std::string> names = dimNamesOf(port, dim);
    for (const auto &[name, size] : limits)
      if (llvm::is_contained(names, name))
        return size;
    return std::nullopt;
  }

  /// Whether the dimensions are within the limits in all inputs.
  Value holds(ImplicitLocOpBuilder &b, const Limits &limits) const {
    llvm::MapVector<Value, int64_t> all;
    for (auto [port, value] : llvm::zip(source.inputs, fed))
      for (size_t dim = 0; dim < port->open.size(); ++dim)
        if (auto limit = limitOf(*port, dim, limits))
          if (Value exact = sizesOf(value)[dim].exact)
            all.insert({exact, *limit});
    Value result;
    for (auto [exact, size] : all) {
      Expr fits = apply<graph::LessEqualOp>(Expr(b, exact), number(b, size));
      result = result ? apply<graph::LogicalAndOp>(Expr(b, result), fits).value
                      : fits.value;
    }
    return result;
  }

  FailureOr<SmallVector<Value>>
  branch(Region &region, function_ref<FailureOr<SmallVector<Value>>()> trace) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    FailureOr<SmallVector<Value>> values = trace();
    if (succeeded(values))
      builder.create<graph::YieldOp>(source.report.file(), *values);
    return values;
  }

  /// The same, without a word where it fails and no one asked for it.
  LogicalResult attempt(function_ref<FailureOr<SmallVector<Value>>()> trace,
                        Region &region) {
    if (isAsked)
      return branch(region, trace);
    Status before = source.report.status;
    ScopedDiagnosticHandler mute(builder.getContext(),
                                 [](Diagnostic &) { return success(); });
    LogicalResult result = branch(region, trace);
    source.report.status = before;
    return result;
  }

  FailureOr<SmallVector<Value>> buildWhole() {
    FailureOr<EntryResults> results = source.trace(fed, nullptr);
    if (failed(results))
      return failure();
    whole = *results;
    return whole.values;
  }

  /// The inputs in places with room for the limits.
  SmallVector<Traced> limited(ImplicitLocOpBuilder &b,
                              const Limits &limits) const {
    SmallVector<Traced> result;
    // Later ops take sizes for equal that are one value.
    llvm::MapVector<Value, Value> exact;
    for (auto [port, value] : llvm::zip(source.inputs, fed)) {
      result.push_back(value);
      if (port->open.empty())
        continue;
      Sizes sizes = sizesOf(value);
      for (size_t dim = 0; dim < sizes.size(); ++dim) {
        auto limit = limitOf(*port, dim, limits);
        if (!limit || !sizes[dim].exact)
          continue;
        sizes[dim].bound = *limit;
        Value &known = exact[sizes[dim].exact];
        if (port->open[dim]->low == *limit)
          sizes[dim].exact = nullptr;
        else {
          if (!known)
            known = minimum(Expr(b, sizes[dim].exact), number(b, *limit)).value;
          sizes[dim].exact = known;
        }
      }
      result.back() =
          withSizes(inPlaceOf(b, value.value, boundsOf(sizes)), sizes);
      writeSizes(source.report, result.back().value, sizes);
    }
    return result;
  }

  /// The results have room for all sizes, whatever the version has.
  FailureOr<SmallVector<Value>> buildVersion(const Limits &limits,
                                             ArrayRef<Value> like) {
    ImplicitLocOpBuilder b(source.report.file(), builder);
    FailureOr<EntryResults> results = source.trace(limited(b, limits), &whole);
    if (failed(results))
      return failure();
    if (results->open != whole.open || results->values.size() != like.size())
      return source.report.error(Status::unsupported)
             << "--specialize: with less room the entry '" << source.name
             << "' gives results of other kinds";
    for (auto [i, value, wanted, attributes] :
         llvm::enumerate(results->values, like, results->attributes)) {
      RankedTensorType type = typeOf(wanted);
      if (attributes.contains("weir.held")) {
        value = inPlaceOf(b, value, type.getShape());
        continue;
      }
      int64_t count = typeOf(value).getNumElements();
      if (count == type.getNumElements()) {
        value = reshapeTo(b, value, type.getShape());
        continue;
      }
      Value flat = reshapeTo(b, value, {count});
      flat = inPlaceOf(b, flat, {type.getNumElements()});
      // What comes behind the elements that there are need not be written.
      if (i < results->counts.size() && results->counts[i])
        writeSizes(source.report, flat,

                   {Size{type.getNumElements(), results->counts[i]}});
      value = reshapeTo(b, flat, type.getShape());
    }
    return results->values;
  }

  const VersionedEntry &source;
  OpBuilder &builder;
  ArrayRef<Traced> fed;
  std::vector<Limits> versions;
  bool isAsked;
};

} // namespace

InputSizes::InputSizes(ArrayRef<const EntryPort *> ports,
                       ArrayRef<Traced> fed) {
  for (auto [port, traced] : llvm::zip(ports, fed))
    for (auto [i, range] : llvm::enumerate(port->open))
      if (range && traced.isBounded() && traced.extents[i])
        all.push_back({traced.extents[i], {range->low, dimNameOf(*port, i)}});
}

PortDim InputSizes::dimOf(const Size &size) const {
  if (size.isKnown())
    return {size.bound, ""};
  PortDim result;
  for (const auto &[exact, dim] : all)
    if (result.name.empty() && isSame(exact, size.exact))
      result = dim;
  if (result.name.empty())
    result.least = static_cast<int64_t>(
        std::clamp<double>(intervalOf(size.exact).low, 0, size.bound));
  return result;
}

void EntryResults::addOutputs(OpBuilder &builder, const InputSizes &inputs,
                              ArrayRef<const EntryPort *> ports,
                              ArrayRef<Traced> outputs,
                              const EntryResults *like) {
  for (auto [port, output] : llvm::zip_equal(ports, outputs)) {
    values.push_back(output.value);
    attributes.push_back(portAttributes(builder, *port));
    counts.emplace_back();
  }
  for (auto [i, port, output] : llvm::enumerate(ports, outputs)) {
    if (!output.isBounded() && !(like && llvm::is_contained(like->open, i)))
      continue;
    ImplicitLocOpBuilder b(output.value.getLoc(), builder);
    if (output.isBounded() && !port->isHeld) {
      values[i] = compact(b, output);
      Sizes sizes = sizesOf(output);
      counts[i] = product(b, sizes, 0, sizes.size()).value;
    }
    values.push_back(listOf(b, sizesOf(output), b.getI64Type()));
    SmallVector<PortDim> dims;
    for (const Size &size : sizesOf(output))
      dims.push_back(inputs.dimOf(size));
    attributes.push_back(shapeAttributes(builder, *port, i, dims));
    open.push_back(i);
  }
}

/// The versions that `--specialize` asks for.
static std::vector<Limits> askedVersions(const VersionedEntry &source,
                                         const Specialization &asked) {
  std::vector<Limits> versions;
  for (int64_t size : asked.sizes)
    versions.push_back({{asked.dim, size}});
  // The range's end is what the version for all has room for.
  for (const EntryPort *port : source.inputs)
    for (auto [dim, range] : llvm::enumerate(port->open))
      if (range && llvm::is_contained(dimNamesOf(*port, dim), asked.dim))
        llvm::erase_if(versions, [high = range->high](const Limits &limits) {
          return limits.front().second == high;
        });
  return versions;
}

/// Before each version, and the one for all, the same for size 1 of the only
/// other dimension: most runs have a batch of one, for which code is better
/// that knows it.
static std::vector<Limits> withOneOfOthers(const Ranges &ranges,
                                           ArrayRef<std::string> combined,
                                           std::vector<Limits> versions) {
  SmallVector<std::string> others;
  for (const auto &[name, range] : ranges)
    if (!llvm::is_contained(combined, name.str()) && range.low == 1)
      others.push_back(name.str());
  if (versions.empty() || others.size() != 1 ||
      ranges.size() != combined.size() + 1)
    return versions;
  std::vector<Limits> all;
  versions.emplace_back();
  for (const Limits &limits : versions) {
    all.push_back(limits);
    all.back().push_back({others.front(), 1});
    if (!limits.empty())
      all.push_back(limits);
  }
  return all;
}

/// Versions of an entry with one dynamic dimension, or of one with several for
/// those that some op combines elements along: kernels compute what it combines
/// for all that there is room for, but end at the actual sizes of what is left.
static std::vector<Limits> unaskedVersions(const Ranges &ranges,
                                           ArrayRef<std::string> combined) {
  std::vector<Limits> versions;
  std::vector<SmallVector<int64_t>> sizes;
  size_t count = 0;
  for (const std::string &dim : combined) {
    auto range = llvm::find_if(
        ranges, [&](const auto &each) { return each.first == dim; });
    sizes.push_back(sizesWithin(range->second, mostUnasked));
    count = std::max(count, sizes.back().size());
  }
  for (size_t i = 0; i < count; ++i) {
    Limits limits;
    for (auto [dim, some] : llvm::zip_equal(combined, sizes))
      if (!some.empty() && i + some.size() >= count)
        limits.push_back({dim, some[i + some.size() - count]});
    if (limits.size() == combined.size())
      versions.push_back(limits);
  }
  return withOneOfOthers(ranges, combined, std::move(versions));
}

/// The names of `--dim` of the sizes that a value is computed of.
static void findDims(Value value,
                     const llvm::MapVector<Value, std::string> &sizes,
                     llvm::DenseSet<Value> &seen,
                     llvm::SetVector<StringRef> &found) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto size = sizes.find(next); size != sizes.end())
      found.insert(size->second);
    else if (Operation *op = next.getDefiningOp())
      llvm::append_range(work, op->getOperands());
  }
}

/// Whether the truth values choose elements, as a mask does; those of a check
/// are only combined.
static bool isMask(Value truths) {
  SmallVector<Value> work{truths};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<graph::SelectOp>(user) && use.getOperandNumber() == 0 &&
          !typeOf(user->getResult(0)).getElementType().isInteger(1))
        return true;
      if (isa<graph::ReshapeOp, graph::BroadcastOp, graph::LogicalAndOp>(user))
        work.push_back(user->getResult(0));
    }
  return false;
}

/// The dimensions with ranges that some op combines elements along: such an op
/// compares indices with the size, for a mask. All of them where there are ops
/// whose loops do not end at the actual sizes. The entry is traced once to find
/// out.
static std::vector<std::string> combinedDims(const VersionedEntry &source,
                                             OpBuilder &builder,
                                             ArrayRef<Traced> fed) {
  llvm::MapVector<Value, std::string> sizes;
  for (auto [port, value] : llvm::zip(source.inputs, fed))
    for (size_t dim = 0; dim < port->open.size(); ++dim)
      if (Value exact = port->open[dim] ? sizesOf(value)[dim].exact : Value())
        sizes.insert(
            {exact, nameOf(source.report.context, *port, dim).str()});
  OpBuilder::InsertionGuard guard(builder);
  Location at = source.report.file();
  OperationState state(at, graph::IfOp::getOperationName());
  state.addRegion();
  state.addRegion();
  Operation *holder = builder.create(state);
  builder.createBlock(&holder->getRegion(0));
  Status before = source.report.status;
  bool isTraced;
  {
    ScopedDiagnosticHandler mute(builder.getContext(),
                                 [](Diagnostic &) { return success(); });
    isTraced = succeeded(source.trace(fed, nullptr));
  }
  source.report.status = before;
  llvm::SetVector<StringRef> found;
  // Loops that do not end at the actual sizes.
  bool hasOthers = false;
  holder->walk([&](Operation *op) {
    hasOthers |= isa<graph::WhileOp, graph::ScatterOp, graph::SortOp,
                     graph::TopKOp, graph::SuppressOp>(op);
  });
  if (isTraced && hasOthers)
    for (const auto &size : sizes)
      found.insert(size.second);
  if (isTraced) {
    llvm::DenseSet<Value> seen;
    holder->walk([&](graph::LessOp less) {
      auto size = less->getOperand(1).getDefiningOp<graph::BroadcastOp>();
      if (size && typeOf(size.getX()).getRank() == 0 && isMask(less))
        findDims(size.getX(), sizes, seen, found);
    });
    holder->walk([&](graph::FillBeyondOp fill) {
      auto dim = static_cast<int64_t>(fill.getDim());
      if (static_cast<int64_t>(fill.getReach()) >=
          fill.getX().getType().getDimSize(dim))
        findDims(fill.getSize(), sizes, seen, found);
    });
  }
  std::vector<std::string> names(found.begin(), found.end());
  holder->erase();
  return names;
}

FailureOr<EntryResults> traceVersions(const VersionedEntry &source,
                                      OpBuilder &builder,
                                      ArrayRef<Traced> fed) {
  const ImportOptions &options = source.options;
  bool isAsked = options.specialization.has_value();
  // What is state is not made in its place by one of several.
  bool holds = llvm::any_of(source.inputs, [](const EntryPort *port) {
    return port->isHeld && !port->open.empty();
  });
  Ranges ranges = rangesOf(source);
  if (!isAsked && (!source.canBranch || holds || ranges.empty()))
    return source.trace(fed, nullptr);
  std::vector<Limits> chosen =
      isAsked ? askedVersions(source, *options.specialization)
              : unaskedVersions(ranges, combinedDims(source, builder, fed));
  Versions versions(source, builder, fed, std::move(chosen), isAsked);
  if (!versions.areNeeded())
    return source.trace(fed, nullptr);
  if (!source.canBranch)
    return source.report.error(Status::unsupported)
           << "--specialize: the entry '" << source.name
           << "' has derivatives or assigns variables, of which there is one "
              "version";
  FailureOr<SmallVector<Value>> values = versions.build(0);
  if (failed(values))
    return failure();
  EntryResults results = std::move(versions.whole);
  results.values = std::move(*values);
  return results;
}

} // namespace weir
