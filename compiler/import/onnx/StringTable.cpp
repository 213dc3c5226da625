// Which ops take and give strings.

#include "compiler/import/onnx/StringTable.h"

#include "compiler/import/onnx/Node.h"
#include "compiler/import/onnx/learned/Labels.h"
#include "compiler/import/onnx/learned/Learned.h"

#include "dialects/graph/Graph.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace weir::onnx {

namespace {

/// Whether the op returns the strings of its first operand, reordered.
bool movesElements(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", true)
      .Cases("Transpose", "Slice", "Gather", "GatherElements", "GatherND", true)
      .Cases("Expand", "Tile", "ai.onnx.ml::ArrayFeatureExtractor", true)
      .Default(false);
}

/// Whether the op takes strings and gives numbers.
bool takesStrings(StringRef op) {
  return op == "Shape" || op == "Size" || op == "ai.onnx.ml::LabelEncoder" ||
         op == "ai.onnx.ml::OneHotEncoder";
}

} // namespace

Indexed indexed(ArrayRef<std::string> strings) {
  Indexed result;
  llvm::StringMap<int64_t> known;
  for (const std::string &string : strings) {
    auto [at, isNew] = known.try_emplace(string, known.size());
    if (isNew)
      result.table.push_back(string);
    result.indices.push_back(at->second);
  }
  return result;
}

Traced stringConstant(OpBuilder &b, Location at, const Strings &strings) {
  Indexed each = indexed(strings.values);
  auto type = RankedTensorType::get(strings.shape, b.getI64Type());
  Value indices = b.create<graph::ConstantOp>(
      at, DenseElementsAttr::get(type, ArrayRef(each.indices)));
  return {indices, {}, std::make_shared<StringTable>(std::move(each.table))};
}

const StringTable *tableOf(const Traced &traced) {
  return dynamic_cast<const StringTable *>(traced.object.get());
}

const StringTable *tableAt(Node &node, unsigned i) {
  return i < node.size() ? tableOf(node.traced(i)) : nullptr;
}

std::vector<std::string> stringsOf(const Traced &traced) {
  if (const StringTable *table = tableOf(traced))
    return table->strings;
  auto *columns = dynamic_cast<const ColumnNames *>(traced.object.get());
  return columns ? columns->names : std::vector<std::string>();
}

LogicalResult checkStrings(Node &node) {
  StringRef op = node.op();
  for (unsigned i = 0; i < node.size(); ++i) {
    if (tableAt(node, i) && !takesStrings(op) && (i || !movesElements(op)))
      return node.unsupported("operand " + Twine(i) + " is of strings");
    if (dynamic_cast<ColumnNames *>(node.traced(i).object.get()) &&
        op != "Identity")
      return node.unsupported("operand " + Twine(i) + " is of maps");
  }
  return success();
}

void addTables(Node &node, MutableArrayRef<Traced> results) {
  if (results.empty() || !results[0].value)
    return;
  if (node.op() == "ai.onnx.ml::ZipMap") {
    results[0].object = std::make_shared<ColumnNames>(resultStrings(node));
    return;
  }
  if (const StringTable *same = tableAt(node, 0);
      same && movesElements(node.op()))
    results[0].object = std::make_shared<StringTable>(same->strings);
  else if (std::vector<std::string> strings = resultStrings(node);
           !strings.empty())
    results[0].object = std::make_shared<StringTable>(std::move(strings));
}

} // namespace weir::onnx
