// The dimensions of an entry's inputs: what the model says, --shape and --dim.

#include "compiler/import/bounded/entry/InputDims.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;

namespace weir {

/// A default range ends here, or lower where an input would then have more
/// elements than ImportOptions::boundedElements.
constexpr int64_t defaultHigh = 128;

SmallVector<std::string> namesOf(const EntryPort &port) {
  return {port.name, port.tensor,
          StringRef(port.tensor).split(':').first.str()};
}

std::string dimNameOf(const EntryPort &port, size_t i) {
  return i < port.dimNames.size() && !port.dimNames[i].empty()
             ? port.dimNames[i]
             : port.name + "." + std::to_string(i);
}

SmallVector<std::string> dimNamesOf(const EntryPort &port, size_t i) {
  SmallVector<std::string> names{dimNameOf(port, i)};
  for (const std::string &name : namesOf(port))
    names.push_back(name + "." + std::to_string(i));
  return names;
}

const DimRange *rangeOf(const EntryPort &port, size_t i,
                        const ImportOptions &options) {
  for (const std::string &name : dimNamesOf(port, i))
    if (auto found = options.dims.find(name); found != options.dims.end())
      return &found->second;
  return nullptr;
}

static const GivenShape *givenShape(const EntryPort &port,
                                    const ImportOptions &options) {
  for (const std::string &name : namesOf(port))
    if (auto found = options.shapes.find(name); found != options.shapes.end())
      return &found->second;
  return nullptr;
}

void addDimNames(EntryPort &port, ArrayRef<std::string> names) {
  port.dimNames.resize(std::max<size_t>(port.dimNames.size(), names.size()));
  for (auto [own, name] : llvm::zip(port.dimNames, names))
    if (own.empty())
      own = name;
}

static bool hasNames(const GivenShape &shape) {
  return llvm::any_of(shape.names,
                      [](StringRef name) { return !name.empty(); });
}

/// As `--shape` has it.
static std::string textOf(const GivenShape &shape) {
  if (!hasNames(shape))
    return dimsText(shape.sizes);
  std::string text;
  for (auto [size, name] : llvm::zip_equal(shape.sizes, shape.names))
    text += (text.empty() ? "" : ",") +
            (name.empty() ? dimsText(size) : escaped(name));
  return text;
}

static LogicalResult misfit(Report &report, Location at, const EntryPort &port,
                            const GivenShape &given, ArrayRef<int64_t> said) {
  for (size_t i = 0; given.sizes.size() == said.size() && i < said.size(); ++i)
    if (ShapedType::isDynamic(given.sizes[i]) &&
        !ShapedType::isDynamic(said[i]))
      return report.error(at) << "--shape leaves dimension " << i
                              << " of input '" << escaped(port.name)
                              << "' open, which the model fixes at " << said[i];
  InFlightDiagnostic error = report.error(at);
  error << "--shape gives " << textOf(given) << " for input '"
        << escaped(port.name) << "', which is "
        << (said.empty() ? "a scalar" : dimsText(said));
  if (hasNames(given) && given.sizes.size() != said.size())
    error << "; a name that contains an x needs commas between dimensions, as "
             "in --shape="
          << escaped(port.name) << "=batch,max_len,3";
  return error;
}

FailureOr<SmallVector<int64_t>>
joinShape(Report &report, Location at, EntryPort &port,
          std::optional<SmallVector<int64_t>> said,
          const ImportOptions &options) {
  const GivenShape *given = givenShape(port, options);
  if (!said && !given) {
    std::string hint = "--shape=" + escaped(port.name) + "=";
    report.error(at) << "the shape of input '" << escaped(port.name)
                     << "' is not known; give it with " << hint
                     << "DIMS, for example " << hint << "1x224x224x3";
    return failure();
  }
  if (said)
    port.dimNames.resize(said->size());
  if (given) {
    bool fits = !said || said->size() == given->sizes.size();
    for (size_t i = 0; fits && said && i < said->size(); ++i)
      fits = ShapedType::isDynamic((*said)[i]) || (*said)[i] == given->sizes[i];
    if (!fits)
      return misfit(report, at, port, *given, *said);
    said = given->sizes;
    port.dimNames.resize(said->size());
    for (auto [name, own] : llvm::zip_equal(given->names, port.dimNames))
      if (!name.empty())
        own = name;
  }
  port.said.assign(said->begin(), said->end());
  return *said;
}

namespace {

/// Dynamic dimensions with equal sizes, without a range so far.
struct Unranged {
  std::string name;
  int64_t high = defaultHigh;
  std::string where;
};

/// What the inputs lack ranges of, with default ones.
class Defaults {
public:
  void add(const EntryPort &port, int64_t boundedElements) {
    double room = static_cast<double>(boundedElements);
    int64_t count = 0;
    for (int64_t size : port.type.getShape())
      if (ShapedType::isDynamic(size))
        ++count;
      else
        room /= std::max<double>(static_cast<double>(size), 1);
    if (!count)
      return;
    auto share = static_cast<int64_t>(
        std::pow(std::max(room, 1.0), 1.0 / static_cast<double>(count)) + 1e-9);
    for (auto [i, size] : llvm::enumerate(port.type.getShape()))
      if (ShapedType::isDynamic(size))
        addDim(port, i, share);
  }

  bool empty() const { return all.empty(); }
  DimRange of(const EntryPort &port, size_t i) const {
    return {1, all[numbers.lookup(dimNameOf(port, i))].high};
  }

  /// `batch=1..128 (input 'x' dimension 0), y.1=1..64`, without the ranges for
  /// training.
  std::string text(bool withRanges) const {
    std::string list;
    for (const Unranged &one : all)
      list += (list.empty() ? "" : ", ") + escaped(one.name, 100) +
              (withRanges ? "=" + rangeText(one) : "") + one.where +
              (one.where.empty() ? "" : ")");
    return list;
  }
  /// The options that give these ranges, or for training a size.
  std::string flags(bool withRanges) const {
    std::string list;
    for (const Unranged &one : all)
      list += " " + asArgument("--dim=" + one.name + "=" +
                               (withRanges ? rangeText(one) : "32"));
    return list;
  }

private:
  void addDim(const EntryPort &port, size_t i, int64_t share) {
    std::string name = dimNameOf(port, i);
    auto [at, isNew] = numbers.try_emplace(name, all.size());
    if (isNew)
      all.push_back({name, defaultHigh, ""});
    Unranged &one = all[at->second];
    one.high = std::clamp<int64_t>(share, 1, one.high);
    std::string where = "input '" + escaped(port.name, 100) + "' dimension " +
                        std::to_string(i);
    // `x.0` says where it is.
    if (name != port.name + "." + std::to_string(i) &&
        !StringRef(one.where).contains(where))
      one.where += (one.where.empty() ? " (" : ", ") + where;
  }
  static std::string rangeText(const Unranged &one) {
    return one.high == 1 ? "1" : "1.." + std::to_string(one.high);
  }

  std::vector<Unranged> all;
  llvm::StringMap<size_t> numbers;
};

} // namespace

/// A command line to which ranges can be added.
static std::string commandOf(const Report &report,
                             const ImportOptions &options) {
  if (!options.command.empty())
    return options.command;
  return "weir compile " + asArgument(report.path) + " -o " +
         asArgument(llvm::sys::path::stem(report.path).str() + ".so");
}

/// Why defaults would be wrong; empty where they are not.
static StringRef refusal(const ImportOptions &options,
                         ArrayRef<EntryPort *> inputs) {
  if (options.training)
    return "training has no default ranges, and these dimensions are dynamic: ";
  for (EntryPort *port : inputs) {
    markStateInput(options, *port, /*isInput=*/true);
    // The least sizes are those that it begins with.
    if (port->isStateInput && !port->type.hasStaticShape())
      return "state begins with the least sizes that --dim gives, and these "
             "dimensions have no range: ";
  }
  return "";
}

/// Says which dimensions have no range: an error where defaults are refused.
static LogicalResult tell(Report &report, const ImportOptions &options,
                          StringRef refused, const Defaults &defaults) {
  bool isRefused = !refused.empty();
  std::string text =
      (isRefused ? refused
                 : "dynamic dimensions without a range get a default one: ")
          .str() +
      defaults.text(!isRefused);
  if (!report.told.insert(text).second)
    return failure(isRefused);
  bool isTraining = options.training.has_value();
  InFlightDiagnostic diagnostic =
      isRefused ? report.error() : report.warning(report.file());
  diagnostic << text;
  diagnostic.attachNote() << (isTraining ? "give each a size: "
                                         : "to choose ranges or sizes: ")
                          << commandOf(report, options)
                          << defaults.flags(!isTraining);
  return failure(isRefused);
}

static LogicalResult checkSize(Report &report, const EntryPort &port) {
  unsigned bytes = elementBytes(port.type.getElementType());
  if (byteSize(port.type.getShape(), bytes))
    return success();
  StringRef node = StringRef(port.tensor).split(':').first;
  return report.error(report.node(node), Status::limit)
         << "input '" << escaped(port.name)
         << (port.dynamicDims.empty()
                 ? "' is larger than a tensor may be"
                 : "' is larger than a tensor may be, with the largest sizes " +
                       dimsText(port.type.getShape()));
}

/// Gives dimension `i`, which is open, a range.
static void setRange(EntryPort &port, SmallVectorImpl<int64_t> &shape, size_t i,
                     DimRange range) {
  shape[i] = range.high;
  if (range.low < range.high)
    port.dynamicDims[i] = range;
}

/// The range of a dimension that exporters call by a sum, "past + length" or
/// "past + 1"; none where a part has no range.
static std::optional<DimRange> rangeOfSum(StringRef name,
                                          const ImportOptions &options) {
  if (!name.contains('+'))
    return std::nullopt;
  DimRange sum{0, 0};
  SmallVector<StringRef> parts;
  name.split(parts, '+');
  for (StringRef part : parts) {
    part = part.trim();
    DimRange own;
    if (!part.getAsInteger(10, own.low))
      own.high = own.low;
    else if (auto found = options.dims.find(part); found != options.dims.end())
      own = found->second;
    else
      return std::nullopt;
    if (llvm::AddOverflow(sum.low, own.low, sum.low) ||
        llvm::AddOverflow(sum.high, own.high, sum.high) || own.low < 0)
      return std::nullopt;
  }
  return sum;
}

LogicalResult boundInputs(Report &report, const ImportOptions &options,
                          ArrayRef<EntryPort *> inputs) {
  Defaults defaults;
  auto bound =
      [&](llvm::function_ref<std::optional<DimRange>(const EntryPort &, size_t)>
              find) {
        for (EntryPort *port : inputs) {
          SmallVector<int64_t> shape(port->type.getShape());
          port->dynamicDims.resize(shape.size());
          for (size_t i = 0; i < shape.size(); ++i)
            if (ShapedType::isDynamic(shape[i]))
              if (std::optional<DimRange> range = find(*port, i))
                setRange(*port, shape, i, *range);
          port->type = port->type.clone(shape);
        }
      };
  bound([&](const EntryPort &port, size_t i) -> std::optional<DimRange> {
    const DimRange *range = rangeOf(port, i, options);
    return range ? std::optional(*range)
                 : rangeOfSum(dimNameOf(port, i), options);
  });
  for (EntryPort *port : inputs)
    defaults.add(*port, options.boundedElements);
  if (!defaults.empty() &&
      failed(tell(report, options, refusal(options, inputs), defaults)))
    return failure();
  bound([&](const EntryPort &port, size_t i) { return defaults.of(port, i); });
  for (EntryPort *port : inputs) {
    if (llvm::none_of(port->dynamicDims,
                      [](const auto &range) { return !!range; }))
      port->dynamicDims.clear();
    if (failed(checkSize(report, *port)))
      return failure();
  }
  return success();
}

/// The range of the dynamic dimension of that name, if an input has it.
static const DimRange *dynamicRange(ArrayRef<const EntryPort *> inputs,
                                    StringRef name) {
  for (const EntryPort *port : inputs)
    for (auto [i, range] : llvm::enumerate(port->dynamicDims))
      if (range && llvm::is_contained(dimNamesOf(*port, i), name))
        return &*range;
  return nullptr;
}

static LogicalResult checkVersions(Report &report, const Specialization &given,
                                   ArrayRef<const EntryPort *> inputs) {
  const DimRange *range = dynamicRange(inputs, given.dim);
  if (!range)
    return report.error(Status::badUsage)
           << "--specialize=" << escaped(given.dim)
           << ": --dim gives no dimension of that name a range";
  for (int64_t size : given.sizes)
    if (size < range->low || size > range->high)
      return report.error(Status::badUsage)
             << "--specialize=" << escaped(given.dim) << ":" << size
             << ": --dim has it in [" << range->low << ", " << range->high
             << "]";
  return success();
}

LogicalResult checkDims(Report &report, const ImportOptions &options,
                        ArrayRef<const EntryPort *> inputs) {
  std::vector<std::string> dims;
  for (const EntryPort *port : inputs)
    for (auto [i, size] : llvm::enumerate(port->said))
      if (ShapedType::isDynamic(size))
        llvm::append_range(dims, dimNamesOf(*port, i));
  SmallVector<StringRef> names(dims.begin(), dims.end());
  for (const auto &given : options.dims)
    if (!llvm::is_contained(names, given.getKey())) {
      report.error(Status::badUsage)
          << "--dim=" << escaped(given.getKey())
          << ": no input has such a dimension that is not fixed"
          << didYouMean(given.getKey(), names);
      return failure();
    }
  return options.specialization
             ? checkVersions(report, *options.specialization, inputs)
             : success();
}

} // namespace weir
