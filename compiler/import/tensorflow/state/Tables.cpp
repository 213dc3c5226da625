// What lookup tables hold: the nodes that fill them, which need be no ancestors
// of what is fetched, are searched for in the whole graph.

#include "compiler/import/tensorflow/state/Tables.h"

#include "compiler/import/Custom.h"

#include "compiler/import/Elements.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/state/Origins.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// The tables of a model have no more: entries are put in order one by one.
constexpr int64_t entryLimit = int64_t(1) << 24;
/// Nor have the graphs of their keys and values more nodes, each counted again
/// for each of these: to trace one takes as long as its graph is large.
constexpr uint64_t traceLimit = uint64_t(1) << 24;

bool isTableOp(StringRef op) {
  return op == "HashTable" || op == "HashTableV2";
}

bool fillsTable(StringRef op) {
  return op == "LookupTableImport" || op == "LookupTableImportV2" ||
         op == "InitializeTable" || op == "InitializeTableV2";
}

/// Those that fill a table with what is in no graph.
static bool fillsFromFile(StringRef op) {
  return op.starts_with("InitializeTableFrom");
}

TableId tableId(const NodeDef &def) {
  auto shared = def.attr().find("shared_name");
  if (shared != def.attr().end() && !shared->second.s().empty())
    return {shared->second.s(), nullptr};
  auto byNode = def.attr().find("use_node_name_sharing");
  if (byNode != def.attr().end() && byNode->second.b())
    return {def.name(), nullptr};
  return {def.name(), &def};
}

StringRef whyUnknown(StringRef op) {
  if (op.contains("HashTable") || op.starts_with("LookupTable") ||
      op.starts_with("InitializeTableFrom"))
    return "no such op; the tables that weir has are those of HashTable, which "
           "LookupTableImport or InitializeTable fills with constants of the "
           "graph";
  return howToDefine;
}

/// The ops that give the table or the constant that they are given.
static bool handsOn(StringRef op) {
  return op == "Identity" || op == "RefIdentity" || op == "Enter" ||
         op == "RefEnter" || op == "Switch" || op == "RefSwitch";
}

namespace {

/// The result of a node that an edge stands for, behind what only hands it on;
/// no graph where that is not known.
struct Origin {
  const Graph *graph = nullptr;
  Edge edge;
  bool operator<(const Origin &other) const {
    return std::tie(graph, edge.node, edge.output) <
           std::tie(other.graph, other.edge.node, other.edge.output);
  }
};

/// A node that fills a table.
struct Filling {
  const NodeDef *def;
  Origin keys, values;
};

/// All fillings of a model, and the entries of tables that were asked for.
struct Tables : Object {
  std::map<TableId, std::vector<Filling>> fillings;
  /// What they are filled with, as far as it has been read; null: no constants.
  std::map<Origin, DenseElementsAttr> constants;
  uint64_t traced = 0; // nodes of the graphs, for each of these
  int64_t read = 0;    // entries
  /// Nothing while they are read, and where they could not be: a table may be
  /// filled with what is looked up in itself, or in many that are none.
  std::map<TableId, std::optional<TableEntries>> entries;
};

/// A graph as it is called.
struct Call {
  const Graph *graph;
  std::vector<Origin> arguments;
  bool operator<(const Call &other) const {
    return std::tie(graph, arguments) < std::tie(other.graph, other.arguments);
  }
};

class Search {
public:
  Search(Report &report, Library &library, Tables &tables)
      : report(report), library(library), tables(tables) {
    findFillers();
  }

  LogicalResult run(const Graph &root) {
    work.push_back({&root, {}});
    while (!work.empty()) {
      Call call = std::move(work.back());
      work.pop_back();
      for (int i = 0; i < call.graph->size(); ++i)
        if (failed(visit(call, i)))
          return failure();
    }
    return success();
  }

private:
  /// The functions that fill tables, or call others that do.
  void findFillers() {
    llvm::StringMap<SmallVector<StringRef>> callers;
    SmallVector<StringRef> found;
    auto add = [&](StringRef name) {
      if (fillers.insert(name).second)
        found.push_back(name);
    };
    for (StringRef name : library.names())
      for (const NodeDef &def : library.find(name)->node_def()) {
        if (fillsTable(def.op()) || fillsFromFile(def.op()))
          add(name);
        for (StringRef callee : calledFunctions(def))
          if (library.find(callee))
            callers[callee].push_back(name);
      }
    while (!found.empty())
      for (StringRef caller : callers.lookup(found.pop_back_val()))
        add(caller);
  }

  Origin behind(const Call &call, Edge edge) {
    std::optional<Edge> origin = origins.of(*call.graph, edge);
    if (!origin)
      return {};
    if (!origin->isArgument())
      return {call.graph, *origin};
    size_t index = origin->argumentIndex();
    return index < call.arguments.size() ? call.arguments[index] : Origin();
  }

  LogicalResult visit(const Call &call, int node) {
    const NodeDef &def = call.graph->node(node);
    ArrayRef<Edge> operands = call.graph->operands(node);
    if (fillsTable(def.op()) || fillsFromFile(def.op())) {
      if (operands.empty())
        return success();
      Origin table = behind(call, operands[0]);
      if (!table.graph || !isTableOp(table.graph->op(table.edge.node)))
        return success();
      Filling filling{&def, {}, {}};
      if (fillsTable(def.op()) && operands.size() == 3) {
        filling.keys = behind(call, operands[1]);
        filling.values = behind(call, operands[2]);
      }
      TableId id = tableId(table.graph->node(table.edge.node));
      if (filled.insert({id, filling.keys, filling.values}).second)
        tables.fillings[id].push_back(filling);
      return success();
    }
    for (StringRef callee : calledFunctions(def))
      if (fillers.contains(callee) && failed(enter(call, node, callee)))
        return failure();
    return success();
  }

  LogicalResult enter(const Call &call, int node, StringRef callee) {
    Graph *graph = library.graph(report, *library.find(callee));
    if (!graph)
      return failure();
    Call inner{graph, {}};
    for (Edge edge : callArguments(*call.graph, node))
      inner.arguments.push_back(behind(call, edge));
    if (seen.insert(inner).second)
      work.push_back(std::move(inner));
    return success();
  }

  Report &report;
  Library &library;
  Tables &tables;
  Origins origins{handsOn};
  llvm::StringSet<> fillers;
  std::set<std::tuple<TableId, Origin, Origin>> filled;
  std::set<Call> seen;
  std::vector<Call> work;
};

} // namespace

/// Whether nothing that a run or a call gives is among an edge's ancestors.
static bool isFixed(const Graph &graph, Edge edge) {
  llvm::DenseSet<int> seen;
  SmallVector<int> work;
  auto add = [&](int node) {
    if (seen.insert(node).second)
      work.push_back(node);
  };
  if (edge.isArgument())
    return false;
  add(edge.node);
  while (!work.empty()) {
    int node = work.pop_back_val();
    if (isPlaceholder(graph.op(node)))
      return false;
    for (Edge operand : graph.operands(node)) {
      if (operand.isArgument())
        return false;
      add(operand.node);
    }
    for (int control : graph.controls(node))
      add(control);
  }
  return true;
}

/// The constant at an origin; null where it is none.
static FailureOr<DenseElementsAttr> traceConstant(Tracer &tracer,
                                                  const Origin &origin) {
  if (!origin.graph || !isFixed(*origin.graph, origin.edge))
    return DenseElementsAttr();
  size_t refusals = tracer.refusals();
  auto traced = tracer.traceAside(*origin.graph, origin.edge);
  if (failed(traced)) {
    if (tracer.report.status != Status::ok)
      return failure();
    tracer.forget(refusals);
    return DenseElementsAttr();
  }
  if (!traced->value || traced->imaginary || traced->isBounded())
    return DenseElementsAttr();
  return knownElements(traced->value).value_or(DenseElementsAttr());
}

/// The same, each traced once.
static FailureOr<DenseElementsAttr> constantAt(Node &node, Tables &tables,
                                               const Origin &origin) {
  auto [known, isNew] = tables.constants.try_emplace(origin);
  if (!isNew)
    return known->second;
  tables.traced += origin.graph ? origin.graph->size() : 0;
  if (tables.traced > traceLimit)
    return node.error(Status::limit)
           << "the tables are filled with " << tables.constants.size()
           << " tensors of a graph too large for so many";
  FailureOr<DenseElementsAttr> constant = traceConstant(node.tracer, origin);
  if (succeeded(constant))
    known->second = *constant;
  return constant;
}

/// The entries at `places`, as a vector.
static DenseElementsAttr taken(DenseElementsAttr all,
                               ArrayRef<int64_t> positions) {
  auto type = RankedTensorType::get({static_cast<int64_t>(positions.size())},
                                    all.getElementType());
  auto take = [&](auto from) {
    std::vector<std::decay_t<decltype(*from)>> result;
    result.reserve(positions.size());
    for (int64_t position : positions)
      result.push_back(*(from + position));
    return DenseElementsAttr::get(type, ArrayRef(result));
  };
  return isa<FloatType>(all.getElementType()) ? take(all.value_begin<APFloat>())
                                              : take(all.value_begin<APInt>());
}

static bool isSame(DenseElementsAttr values, int64_t i, int64_t k) {
  if (isa<FloatType>(values.getElementType()))
    return *(values.value_begin<APFloat>() + i) ==
           *(values.value_begin<APFloat>() + k);
  return *(values.value_begin<APInt>() + i) ==
         *(values.value_begin<APInt>() + k);
}

/// What one node puts into the table.
static FailureOr<TableEntries> readFilling(Node &node, Tables &tables,
                                           const LookupTable &table,
                                           const Filling &filling) {
  std::string by = "'" + escaped(filling.def->name(), 100) + "' (" +
                   escaped(filling.def->op(), 60) + ")";
  FailureOr<DenseElementsAttr> keys = constantAt(node, tables, filling.keys);
  if (failed(keys))
    return failure();
  FailureOr<DenseElementsAttr> values =
      *keys ? constantAt(node, tables, filling.values) : keys;
  if (failed(values))
    return failure();
  if (!*keys || !*values)
    return node.unsupported(
        "table '" + escaped(table.id.first, 100) + "' is filled by " + by +
        " with what is not known at compile time; a table's keys and values "
        "are constants of the graph");
  if (keys->getElementType() != table.key ||
      values->getElementType() != table.value)
    return node.error() << by << " fills a table of " << table.key
                        << " keys and " << table.value << " values with a "
                        << keys->getType() << " and a " << values->getType();
  if (keys->getType().getShape() != values->getType().getShape())
    return node.error() << by << " fills a table with keys of "
                        << keys->getType() << " but values of "
                        << values->getType();
  tables.read += keys->getNumElements();
  if (tables.read > entryLimit)
    return node.error(Status::limit)
           << by << " fills a table with " << keys->getNumElements()
           << " entries; the tables of a model may have " << entryLimit;
  SmallVector<int64_t> numbers, positions, kept;
  for (const APInt &key : keys->getValues<APInt>())
    numbers.push_back(key.getSExtValue());
  for (size_t i = 0; i < numbers.size(); ++i)
    positions.push_back(i);
  llvm::sort(positions, [&](int64_t i, int64_t k) {
    return std::tie(numbers[i], i) < std::tie(numbers[k], k);
  });
  for (int64_t position : positions) {
    if (kept.empty() || numbers[kept.back()] != numbers[position])
      kept.push_back(position);
    else if (!isSame(*values, kept.back(), position))
      return node.error() << by << " gives key " << numbers[position]
                          << " of a table two values";
  }
  return TableEntries{taken(*keys, kept), taken(*values, kept)};
}

FailureOr<TableEntries> entriesOf(Node &node, const LookupTable &table) {
  Tracer &tracer = node.tracer;
  std::shared_ptr<Object> &kept = tracer.state["lookup tables"].object;
  auto tables = std::dynamic_pointer_cast<Tables>(kept);
  if (!tables) {
    kept = tables = std::make_shared<Tables>();
    if (failed(Search(tracer.report, tracer.library, *tables)
                   .run(tracer.outermost())))
      return failure();
  }
  std::string name = "'" + escaped(table.id.first, 100) + "'";
  auto [known, isNew] = tables->entries.try_emplace(table.id);
  if (!isNew && known->second)
    return *known->second;
  if (!isNew)
    return node.unsupported("table " + name +
                            " has no entries that are known at compile time");
  const std::vector<Filling> &fillings = tables->fillings[table.id];
  if (fillings.empty())
    return node.unsupported("table " + name +
                            " is filled by no node of the graph; a table's "
                            "keys and values are constants of the graph");
  std::optional<TableEntries> entries;
  for (const Filling &filling : fillings) {
    if (fillsFromFile(filling.def->op()))
      return node.unsupported(
          "table " + name + " is filled by '" +
          escaped(filling.def->name(), 100) + "' (" +
          escaped(filling.def->op(), 60) +
          "); a table's keys and values are constants of the graph");
    FailureOr<TableEntries> read = readFilling(node, *tables, table, filling);
    if (failed(read))
      return failure();
    if (entries &&
        (entries->keys != read->keys || entries->values != read->values))
      return node.error() << "table " << name << " is filled twice, by '"
                          << escaped(fillings.front().def->name(), 100)
                          << "' and, with other entries, by '"
                          << escaped(filling.def->name(), 100) << "'";
    entries = *read;
  }
  return *(known->second = entries);
}

} // namespace weir::tensorflow
