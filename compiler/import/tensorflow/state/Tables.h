// Lookup tables of integers that represent numbers or Booleans, known at
// compile time.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_TABLES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_TABLES_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// What tells tables apart: the name that nodes share, or the one node that
/// makes a table which no other shares.
using TableId = std::pair<std::string, const ::tensorflow::NodeDef *>;

/// What an edge carries of a table.
struct LookupTable : Object {
  TableId id;
  mlir::Type key, value;

  /// Control flow hands it on as it is.
  bool flatten(llvm::SmallVectorImpl<mlir::Value> &) const override {
    return true;
  }
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &) const override {
    return std::make_shared<LookupTable>(*this);
  }
};

/// What a table holds: vectors of one length, the keys ascending and each there
/// once.
struct TableEntries {
  mlir::DenseElementsAttr keys, values;
};

/// The ops that declare a table whose entries never change.
bool isTableOp(llvm::StringRef op);
/// The ops that give such a table its entries: of (table, keys, values).
bool fillsTable(llvm::StringRef op);
TableId tableId(const ::tensorflow::NodeDef &def);
/// What is said of an op that weir cannot import: of tables that change, or
/// come from elsewhere, which tables there are.
llvm::StringRef whyUnknown(llvm::StringRef op);

/// What the model puts into a table, wherever it does; an error or a refusal at
/// the node that asks where that is nothing, or is not known at compile time.
mlir::FailureOr<TableEntries> entriesOf(Node &node, const LookupTable &table);

void addTableHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_STATE_TABLES_H
