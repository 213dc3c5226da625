// Which versions of an entry with dynamic dimensions a library has.

#include "compiler/import/bounded/entry/VersionSizes.h"

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/entry/InputDims.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir {

/// Versions without being asked for, each of which adds its own code to the
/// library.
constexpr size_t maxUnrequested = 8;

/// Sizes below the range's end so that little of a run's work is for nothing:
/// powers of two, and from 64 on those halfway between them; of a wide range
/// every second, third... only.
static SmallVector<int64_t> sizesWithin(DimRange range, size_t most) {
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
static StringAttr nameOf(MLIRContext *context, const EntryPort &port,
                         size_t dim) {
  return StringAttr::get(context, dimNamesOf(port, dim).front());
}
static Ranges rangesOf(const VersionedEntry &source) {
  Ranges ranges;
  for (const EntryPort *port : source.inputs)
    for (auto [dim, range] : llvm::enumerate(port->dynamicDims))
      if (range && range->low < range->high)
        ranges.insert({nameOf(source.report.context, *port, dim), *range});
  return ranges;
}

std::vector<Limits> requestedVersions(const VersionedEntry &source,
                                      const Specialization &requested) {
  std::vector<Limits> versions;
  for (int64_t size : requested.sizes)
    versions.push_back({{requested.dim, size}});
  // The range's end is what the version for all has room for.
  for (const EntryPort *port : source.inputs)
    for (auto [dim, range] : llvm::enumerate(port->dynamicDims))
      if (range && llvm::is_contained(dimNamesOf(*port, dim), requested.dim))
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

/// Whether the Booleans select elements, as a mask does; those of a check are
/// only combined.
static bool isMask(Value booleans) {
  SmallVector<Value> work{booleans};
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
    for (size_t dim = 0; dim < port->dynamicDims.size(); ++dim)
      if (Value exact =
              port->dynamicDims[dim] ? sizesOf(value)[dim].exact : Value())
        sizes.insert({exact, nameOf(source.report.context, *port, dim).str()});
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
      findDims(fill.getSize(), sizes, seen, found);
    });
  }
  std::vector<std::string> names(found.begin(), found.end());
  holder->erase();
  return names;
}

std::vector<Limits> unrequestedVersions(const VersionedEntry &source,
                                        OpBuilder &builder,
                                        ArrayRef<Traced> fed) {
  Ranges ranges = rangesOf(source);
  if (ranges.empty())
    return {};
  // In what order a product sums follows from its rows rounded up to a power of
  // two: of one dimension each power has a version, for the bits of a library
  // for these sizes.
  if (ranges.size() == 1) {
    std::vector<Limits> powers;
    auto [name, range] = ranges.front();
    for (int step = 1;; ++step) {
      for (int bit = 0; bit < 62 && int64_t(1) << bit < range.high; bit += step)
        if (int64_t(1) << bit >= range.low)
          powers.push_back({{name.str(), int64_t(1) << bit}});
      if (powers.size() <= 6)
        return powers;
      powers.clear();
    }
  }
  std::vector<std::string> combined = combinedDims(source, builder, fed);
  std::vector<Limits> versions;
  std::vector<SmallVector<int64_t>> sizes;
  size_t count = 0;
  for (const std::string &dim : combined) {
    auto range = llvm::find_if(
        ranges, [&](const auto &each) { return each.first == dim; });
    sizes.push_back(sizesWithin(range->second, maxUnrequested));
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

} // namespace weir
