// Nodes that make, fill, search and count lookup tables.

#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/state/Tables.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {

static LogicalResult importTable(Node &node) {
  auto table = std::make_shared<LookupTable>();
  table->id = tableId(node.def);
  const ::tensorflow::AttrValue *key = node.attr("key_dtype", "a type");
  const ::tensorflow::AttrValue *value = node.attr("value_dtype", "a type");
  if (!key || !value)
    return node.missing(key ? "value_dtype" : "key_dtype");
  table->key = elementType(node.b.getContext(), key->type());
  table->value = elementType(node.b.getContext(), value->type());
  if (!table->key || !isIndexType(table->key) || !table->value)
    return node.unsupported("keys of " + dataTypeName(key->type()) +
                            " with values of " + dataTypeName(value->type()) +
                            "; tables have keys of int32 or int64, and values "
                            "that are numbers or Booleans");
  return node.tracedResults({{{}, {}, table}});
}

/// Its table, with the entries in place, is what those see who ask for them.
static LogicalResult importFilling(Node &node) {
  return node.tracedResults({});
}

/// The table at operand 0; null after an error.
static const LookupTable *tableAt(Node &node, unsigned operands) {
  auto *table = dynamic_cast<const LookupTable *>(node.traced(0).object.get());
  if (node.size() == operands && table)
    return table;
  (void)(node.error() << "wants " << operands
                      << " operands, of which the first is a table");
  return nullptr;
}

static Expr number(Node &node, Type type, int64_t value) {
  return reshape(integers(node, type, {value}), {});
}

/// The values of the keys that are in the table, and the default of others.
static Expr lookUp(Node &node, const TableEntries &entries, Expr query,
                   Expr otherwise) {
  ImplicitLocOpBuilder &b = node.b;
  int64_t count = entries.keys.getNumElements();
  if (!count)
    return broadcast(otherwise, query.shape());
  Type type = query.elementType();
  auto key = [&](int64_t i) {
    return (*(entries.keys.value_begin<APInt>() + i)).getSExtValue();
  };
  int64_t first = key(0), last = key(count - 1);
  Expr position, isThere;
  // A gather moves places that are none to the nearest one, so that it need not
  // wait for what is found out about them.
  if (static_cast<uint64_t>(last) - static_cast<uint64_t>(first) ==
      static_cast<uint64_t>(count) - 1) {
    Expr low = number(node, type, first);
    position = query - low;
    isThere = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(query, low),
        apply<graph::LessEqualOp>(query, number(node, type, last)));
  } else {
    Expr keys(b, b.create<graph::ConstantOp>(entries.keys));
    Expr row = reshape(query, {query.type().getNumElements()});
    Expr found(b, make<graph::SearchSortedOp>(b, keys.value, row.value, false));
    position = reshape(found, query.shape());
    Expr nearest(b, make<graph::GatherOp>(b, keys.value, position.value, 0, 0));
    isThere = apply<graph::EqualOp>(nearest, query);
  }
  Expr values(b, b.create<graph::ConstantOp>(entries.values));
  Expr value(b, make<graph::GatherOp>(b, values.value, position.value, 0, 0));
  return select(isThere, value, otherwise);
}

static LogicalResult importFind(Node &node) {
  const LookupTable *table = tableAt(node, 3);
  if (!table)
    return failure();
  for (unsigned i : {1, 2}) {
    const Traced &traced = node.traced(i);
    if (!traced.value || traced.imaginary || (i == 2 && traced.isBounded()) ||
        node.element(i) != (i == 1 ? table->key : table->value) ||
        (i == 2 && node.rank(i) != 0))
      return node.error() << "wants keys of " << table->key
                          << " and one value of " << table->value
                          << " for those that are not there";
  }
  FailureOr<TableEntries> entries = entriesOf(node, *table);
  if (failed(entries))
    return failure();
  Expr found = lookUp(node, *entries, operand(node, 1), operand(node, 2));
  if (!found)
    return give(node, found);
  // Of keys of which only the run knows how many there are, as many values.
  return node.tracedResults(
      {{found.value, {}, nullptr, node.traced(1).extents}});
}

static LogicalResult importSize(Node &node) {
  const LookupTable *table = tableAt(node, 1);
  if (!table)
    return failure();
  FailureOr<TableEntries> entries = entriesOf(node, *table);
  if (failed(entries))
    return failure();
  return give(
      node, number(node, node.b.getI64Type(), entries->keys.getNumElements()));
}

void addTableHandlers(Handlers &handlers) {
  for (StringRef op : {"HashTable", "HashTableV2"})
    handlers[op] = importTable;
  for (StringRef op : {"LookupTableImport", "LookupTableImportV2",
                       "InitializeTable", "InitializeTableV2"})
    handlers[op] = {importFilling, Takes::whole};
  for (StringRef op : {"LookupTableFind", "LookupTableFindV2"})
    handlers[op] = {importFind, Takes::whole};
  for (StringRef op : {"LookupTableSize", "LookupTableSizeV2"})
    handlers[op] = {importSize, Takes::whole};
}

} // namespace weir::tensorflow
