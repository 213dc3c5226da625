// Versions of an entry for sizes of a dimension that only the run knows: the
// same graph in places of less room, under conditions.

#include "compiler/import/bounded/Versions.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir {
namespace {

/// Versions without being asked for, each of which adds its own code to the
/// library.
constexpr size_t mostUnasked = 6;

/// Powers of two below the range's end, so that at most half of a run's work is
/// for nothing; of a wide range every second, third... power only.
Specialization unasked(StringRef dim, DimRange range) {
  Specialization result{dim.str(), {}};
  for (int step = 1;; ++step) {
    for (int bit = 0; bit < 62 && int64_t(1) << bit < range.high; bit += step)
      if (int64_t(1) << bit >= range.low)
        result.sizes.push_back(int64_t(1) << bit);
    if (result.sizes.size() <= mostUnasked)
      return result;
    result.sizes.clear();
  }
}

class Versions {
public:
  /// Versions that no one asked for are left out where they cannot be.
  Versions(const VersionedEntry &source, OpBuilder &builder,
           ArrayRef<Traced> fed, Specialization specialization, bool isAsked)
      : source(source), builder(builder), fed(fed),
        specialization(std::move(specialization)), isAsked(isAsked) {}

  /// Whether any input has the dimension.
  bool areAny() const {
    return llvm::any_of(source.inputs, [&](const EntryPort *port) {
      return !dimsOf(*port).empty();
    });
  }

  /// The versions from the `number`-th on, in an `if` each, and the one with
  /// room for all.
  FailureOr<SmallVector<Value>> build(size_t number) {
    ArrayRef<int64_t> sizes = specialization.sizes;
    if (number == sizes.size())
      return buildWhole();
    ImplicitLocOpBuilder b(source.report.file(), builder);
    Value condition = holds(b, sizes[number]);
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
    if (failed(attempt([&] { return buildVersion(sizes[number], *values); },
                       version))) {
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
  /// The open dimensions of the input that `--specialize` means.
  SmallVector<size_t> dimsOf(const EntryPort &port) const {
    SmallVector<size_t> dims;
    for (auto [i, range] : llvm::enumerate(port.open))
      if (range && llvm::is_contained(dimNamesOf(port, i), specialization.dim))
        dims.push_back(i);
    return dims;
  }

  /// Whether the dimension is at most `size` in all inputs.
  Value holds(ImplicitLocOpBuilder &b, int64_t size) const {
    llvm::SetVector<Value> all;
    for (auto [port, value] : llvm::zip(source.inputs, fed))
      for (size_t dim : dimsOf(*port))
        if (Value exact = sizesOf(value)[dim].exact)
          all.insert(exact);
    Value result;
    for (Value exact : all) {
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

  /// The inputs in places with room for `size`.
  SmallVector<Traced> limited(ImplicitLocOpBuilder &b, int64_t size) const {
    SmallVector<Traced> result;
    // Later ops take sizes for equal that are one value.
    llvm::MapVector<Value, Value> exact;
    for (auto [port, value] : llvm::zip(source.inputs, fed)) {
      SmallVector<size_t> dims = dimsOf(*port);
      result.push_back(value);
      if (dims.empty())
        continue;
      Sizes sizes = sizesOf(value);
      for (size_t dim : dims) {
        sizes[dim].bound = size;
        Value &known = exact[sizes[dim].exact];
        if (port->open[dim]->low == size)
          sizes[dim].exact = nullptr;
        else {
          if (!known)
            known = minimum(Expr(b, sizes[dim].exact), number(b, size)).value;
          sizes[dim].exact = known;
        }
      }
      result.back() =
          withSizes(inPlaceOf(b, value.value, boundsOf(sizes)), sizes);
    }
    return result;
  }

  /// The results have room for all sizes, whatever the version has.
  FailureOr<SmallVector<Value>> buildVersion(int64_t size,
                                             ArrayRef<Value> like) {
    ImplicitLocOpBuilder b(source.report.file(), builder);
    FailureOr<EntryResults> results = source.trace(limited(b, size), &whole);
    if (failed(results))
      return failure();
    if (results->open != whole.open || results->values.size() != like.size())
      return source.report.error(Status::unsupported)
             << "--specialize: with room for " << size << " the entry '"
             << source.name << "' gives results of other kinds";
    for (auto [value, wanted, attributes] :
         llvm::zip_equal(results->values, like, results->attributes)) {
      RankedTensorType type = typeOf(wanted);
      if (attributes.contains("weir.held")) {
        value = inPlaceOf(b, value, type.getShape());
        continue;
      }
      int64_t count = typeOf(value).getNumElements();
      Value flat = reshapeTo(b, value, {count});
      flat = inPlaceOf(b, flat, {type.getNumElements()});
      value = reshapeTo(b, flat, type.getShape());
    }
    return results->values;
  }

  const VersionedEntry &source;
  OpBuilder &builder;
  ArrayRef<Traced> fed;
  Specialization specialization;
  bool isAsked;
};

} // namespace

void EntryResults::addOutputs(OpBuilder &builder,
                              ArrayRef<const EntryPort *> ports,
                              ArrayRef<Traced> outputs,
                              const EntryResults *like) {
  size_t first = values.size();
  for (auto [port, output] : llvm::zip_equal(ports, outputs)) {
    values.push_back(output.value);
    attributes.push_back(portAttributes(builder, *port));
  }
  for (auto [number, port, output] : llvm::enumerate(ports, outputs)) {
    size_t i = first + number;
    if (!output.isBounded() && !(like && llvm::is_contained(like->open, i)))
      continue;
    ImplicitLocOpBuilder b(output.value.getLoc(), builder);
    if (output.isBounded() && !port->isHeld)
      values[i] = compact(b, output);
    values.push_back(listOf(b, sizesOf(output), b.getI64Type()));
    attributes.push_back(shapeAttributes(builder, *port, i));
    open.push_back(i);
  }
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
  if (!isAsked && (!source.canBranch || holds || options.dims.size() != 1))
    return source.trace(fed, nullptr);
  Specialization chosen = isAsked ? *options.specialization
                                  : unasked(options.dims.begin()->getKey(),
                                            options.dims.begin()->second);
  // The range's end is what the version for all has room for.
  llvm::erase(chosen.sizes, options.dims.lookup(chosen.dim).high);
  Versions versions(source, builder, fed, std::move(chosen), isAsked);
  if (!versions.areAny())
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
