// Versions of an entry for sizes of a dimension that only the run knows: the
// same graph in places of less room, under conditions.

#include "compiler/import/bounded/entry/Versions.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/entry/InputDims.h"
#include "compiler/import/bounded/entry/VersionSizes.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir {
namespace {

class Versions {
public:
  /// Versions that no one asked for are left out where they cannot be.
  Versions(const VersionedEntry &source, OpBuilder &builder,
           ArrayRef<Traced> fed, std::vector<Limits> versions, bool isRequested)
      : source(source), builder(builder), fed(fed),
        versions(std::move(versions)), isRequested(isRequested) {}

  /// Whether there are any, of dimensions that inputs of this entry have.
  bool areNeeded() const {
    return !versions.empty() &&
           llvm::any_of(source.inputs, [&](const EntryPort *port) {
             for (size_t dim = 0; dim < port->dynamicDims.size(); ++dim)
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
      if (isRequested)
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
    if (dim >= port.dynamicDims.size() || !port.dynamicDims[dim])
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
      for (size_t dim = 0; dim < port->dynamicDims.size(); ++dim)
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
    if (isRequested)
      return branch(region, trace);
    Status before = source.report.status;
    ScopedDiagnosticHandler mute(builder.getContext(),
                                 [](Diagnostic &) { return success(); });
    LogicalResult result = branch(region, trace);
    source.report.status = before;
    return result;
  }

  FailureOr<SmallVector<Value>> buildWhole() {
    // Each version spreads the inputs for itself.
    ImplicitLocOpBuilder b(source.report.file(), builder);
    SmallVector<Traced> spread;
    for (const Traced &value : fed)
      spread.push_back(value.isBounded() ? roomFor(b, value, sizesOf(value))
                                         : value);
    FailureOr<EntryResults> results = source.trace(spread, nullptr);
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
      if (port->dynamicDims.empty())
        continue;
      Sizes sizes = sizesOf(value);
      for (size_t dim = 0; dim < sizes.size(); ++dim) {
        auto limit = limitOf(*port, dim, limits);
        if (!limit || !sizes[dim].exact)
          continue;
        sizes[dim].bound = *limit;
        Value &known = exact[sizes[dim].exact];
        if (port->dynamicDims[dim]->low == *limit)
          sizes[dim].exact = nullptr;
        else {
          if (!known)
            known = minimum(Expr(b, sizes[dim].exact), number(b, *limit)).value;
          sizes[dim].exact = known;
        }
      }
      result.back() = roomFor(b, value, sizes);
    }
    return result;
  }

  /// An input in a padded buffer of these bounds. The elements that lie without
  /// gaps go straight there.
  Traced roomFor(ImplicitLocOpBuilder &b, const Traced &value,
                 ArrayRef<Size> sizes) const {
    auto spread = value.value.getDefiningOp<graph::SpreadOp>();
    Traced result =
        spread && !spread.getZeros()
            ? reshapeBounded(
                  b,
                  withSizes(spread.getX(),
                            {Size{spread.getX().getType().getDimSize(0),
                                  product(b, sizes, 0, sizes.size()).value}}),
                  sizes)
            : withSizes(paddedTo(b, value.value, boundsOf(sizes)), sizes);
    writeSizes(source.report, result.value, sizes);
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
      if (attrs::stateInput.isIn(attributes)) {
        value = paddedTo(b, value, type.getShape());
        continue;
      }
      int64_t count = typeOf(value).getNumElements();
      if (count == type.getNumElements()) {
        value = reshapeTo(b, value, type.getShape());
        continue;
      }
      Value flat = reshapeTo(b, value, {count});
      int64_t more = type.getNumElements() - count;
      if (more > 0) {
        Value rest = make<graph::EmptyOp>(b, typeOf(flat).clone({more}));
        flat = make<graph::ConcatOp>(b, ValueRange{flat, rest}, 0);
        value = reshapeTo(b, flat, type.getShape());
        continue;
      }
      flat = paddedTo(b, flat, {type.getNumElements()});
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
  bool isRequested;
};

} // namespace

InputSizes::InputSizes(ArrayRef<const EntryPort *> ports,
                       ArrayRef<Traced> fed) {
  for (auto [port, traced] : llvm::zip(ports, fed))
    for (auto [i, range] : llvm::enumerate(port->dynamicDims))
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
  size_t first = values.size();
  for (auto [port, output] : llvm::zip_equal(ports, outputs)) {
    values.push_back(output.value);
    attributes.push_back(portAttributes(builder, *port));
    counts.emplace_back();
  }
  for (auto [number, port, output] : llvm::enumerate(ports, outputs)) {
    size_t i = first + number;
    if (!output.isBounded() && !(like && llvm::is_contained(like->open, i)))
      continue;
    ImplicitLocOpBuilder b(output.value.getLoc(), builder);
    if (output.isBounded() && !port->isStateInput) {
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

FailureOr<EntryResults> traceVersions(const VersionedEntry &source,
                                      OpBuilder &builder,
                                      ArrayRef<Traced> fed) {
  const ImportOptions &options = source.options;
  bool isRequested = options.specialization.has_value();
  // What is state is not made in its place by one of several.
  bool holds = llvm::any_of(source.inputs, [](const EntryPort *port) {
    return port->isStateInput && !port->dynamicDims.empty();
  });
  if (!isRequested && (!source.canBranch || holds))
    return source.trace(fed, nullptr);
  std::vector<Limits> chosen =
      isRequested ? requestedVersions(source, *options.specialization)
                  : unrequestedVersions(source, builder, fed);
  Versions versions(source, builder, fed, std::move(chosen), isRequested);
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
