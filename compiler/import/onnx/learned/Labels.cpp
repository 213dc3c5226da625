// Labels, and which strings they are.

#include "compiler/import/onnx/learned/Labels.h"

#include "compiler/import/onnx/learned/Learned.h"

#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/learned/Encoders.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::onnx {

std::vector<std::string> stringsAttr(Node &node, StringRef attribute) {
  SmallVector<StringRef> strings = node.stringsAttr(attribute);
  return {strings.begin(), strings.end()};
}

Integers counting(size_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(count)));
}

Integers positionsIn(ArrayRef<std::string> list, ArrayRef<std::string> table) {
  llvm::StringMap<int64_t> known;
  for (auto [i, string] : llvm::enumerate(list))
    known.try_emplace(string, static_cast<int64_t>(i));
  Integers positions;
  for (const std::string &string : table) {
    auto found = known.find(string);
    positions.push_back(found == known.end() ? static_cast<int64_t>(list.size())
                                             : found->second);
  }
  return positions;
}

namespace {

/// A tensor that is an attribute of the node; no value where it is absent.
FailureOr<Traced> tensorAttr(Node &node, StringRef name) {
  auto *attribute = node.attr(name);
  if (!attribute)
    return Traced();
  if (!attribute->has_t())
    return node.error() << "its " << name << " is no tensor";
  Location at = node.b.getLoc();
  auto read = node.tracer.constant(at, *attribute->mutable_t(), node.name());
  if (failed(read))
    return failure();
  return Tracer::edge(node.b, at, *read);
}

/// A LabelEncoder: the value of the key that each element is equal to.
class LabelEncoder {
public:
  explicit LabelEncoder(Node &node) : node(node), b(node.b) {}

  LogicalResult read() {
    if (node.hasAttr("classes_strings"))
      return readClasses();
    FailureOr<List> first = listOf("keys"), second = listOf("values");
    if (failed(first) || failed(second) || failed(readDefault(*second)))
      return failure();
    keys = *first;
    values = *second;
    return success();
  }

  LogicalResult import() {
    if (failed(wantOperands(node, 1)) || failed(read()))
      return failure();
    Expr x = operand(node, 0);
    const StringTable *table = tableAt(node, 0);
    bool isOfKind = table ? keys.isOfStrings
                          : !keys.isOfStrings &&
                                keys.numbers.elementType() == x.elementType();
    if (!isOfKind || keys.size() < 1 || keys.size() != values.size())
      return node.error() << "does not map " << node.type(0) << " from "
                          << keys.size() << " keys to " << values.size()
                          << " values";
    Expr position =
        table ? gather(list(node, positionsIn(keys.strings, table->strings)), x,
                       0)
              : positionOf(x);
    Expr all = values.isOfStrings ? list(node, indexed(valueStrings()).indices)
                                  : concat({values.numbers, otherwise}, 0);
    return give(node, gather(all, position, 0));
  }

  /// The strings that it gives, the default the last; none of numbers.
  std::vector<std::string> valueStrings() const {
    std::vector<std::string> strings = values.strings;
    if (values.isOfStrings)
      strings.push_back(defaultString);
    return strings;
  }

private:
  /// The first version: strings to their indices, or the reverse.
  LogicalResult readClasses() {
    List strings;
    strings.isOfStrings = true;
    strings.strings = stringsAttr(node, "classes_strings");
    List positions;
    positions.numbers = list(node, counting(strings.strings.size()));
    bool fromStrings = tableAt(node, 0);
    keys = fromStrings ? strings : positions;
    values = fromStrings ? positions : strings;
    return readDefault(values);
  }

  struct List {
    bool isOfStrings = false;
    std::vector<std::string> strings;
    Expr numbers; // of rank 1

    int64_t size() const {
      return isOfStrings ? static_cast<int64_t>(strings.size())
                         : numbers.size(0);
    }
  };

  /// A list of strings that is a constant.
  static std::vector<std::string> spelled(const Traced &traced) {
    std::vector<std::string> strings;
    DenseElementsAttr indices;
    if (matchPattern(traced.value, m_Constant(&indices)))
      for (int64_t i : indices.getValues<int64_t>())
        strings.push_back(tableOf(traced)->strings[i]);
    return strings;
  }

  FailureOr<List> listOf(StringRef prefix) {
    auto named = [&](StringRef kind) { return (prefix + kind).str(); };
    List list;
    if (node.hasAttr(named("_strings"))) {
      list.isOfStrings = true;
      list.strings = stringsAttr(node, named("_strings"));
    } else if (node.hasAttr(named("_int64s"))) {
      list.numbers =
          Expr(b, numbers(b, b.getI64Type(), node.intsAttr(named("_int64s"))));
    } else if (node.hasAttr(named("_floats"))) {
      list.numbers = floatsOf(node, named("_floats"));
    } else {
      FailureOr<Traced> traced = tensorAttr(node, named("_tensor"));
      if (failed(traced))
        return failure();
      if (!traced->value || typeOf(traced->value).getRank() != 1)
        return node.error() << "has no list of " << prefix;
      list.isOfStrings = tableOf(*traced);
      if (list.isOfStrings)
        list.strings = spelled(*traced);
      else
        list.numbers = Expr(b, traced->value);
    }
    return list;
  }

  LogicalResult readDefault(const List &list) {
    FailureOr<Traced> traced = tensorAttr(node, "default_tensor");
    if (failed(traced))
      return failure();
    bool isGiven = static_cast<bool>(traced->value);
    if (list.isOfStrings) {
      if (isGiven && (!tableOf(*traced) || spelled(*traced).size() != 1))
        return node.error() << "its default is no string";
      defaultString = isGiven ? spelled(*traced)[0]
                              : node.stringAttr("default_string", "_Unused");
      return success();
    }
    Type result = list.numbers.elementType();
    if (isGiven) {
      otherwise = Expr(b, traced->value);
      if (tableOf(*traced) || otherwise.type().getNumElements() != 1 ||
          otherwise.elementType() != result)
        return node.error()
               << "its default does not suit " << list.numbers.type();
      otherwise = reshape(otherwise, {1});
    } else if (isa<FloatType>(result)) {
      otherwise = filled(b, {1}, result, node.floatAttr("default_float", -0.0));
    } else {
      otherwise =
          Expr(b, numbers(b, result, {node.intAttr("default_int64", -1)}));
    }
    return success();
  }

  /// The place of the first key that each number is equal to, or the number of
  /// keys.
  Expr positionOf(Expr x) {
    Integers column(x.shape());
    column.push_back(1);
    Expr from = reshape(x, column);
    Expr hit = apply<graph::EqualOp>(from, keys.numbers);
    // A key that is no number is met by what is none.
    if (isa<FloatType>(x.elementType()) && hit) {
      Expr none = apply<graph::IsNanOp>(broadcast(from, hit.shape()));
      Expr noKey = apply<graph::IsNanOp>(keys.numbers);
      hit = either(hit, both(none, noKey));
    }
    if (!hit)
      return Expr();
    int64_t count = keys.size(), last = hit.rank() - 1;
    Expr position = counted(b, count, b.getI64Type());
    Expr first = smallest(
        select(hit, position, position.like(static_cast<double>(count))),
        {last});
    return reshape(first, x.shape());
  }

  Node &node;
  ImplicitLocOpBuilder &b;
  List keys, values;
  Expr otherwise; // of numbers, of rank 1
  std::string defaultString;
};

LogicalResult importLabelEncoder(Node &node) {
  return LabelEncoder(node).import();
}

/// Maps from classes to their scores are a tensor of the scores; the
/// `ColumnNames` of the result are the classes.
LogicalResult importZipMap(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  std::vector<std::string> names = resultStrings(node);
  size_t classes = names.size();
  if (!isa<FloatType>(x.elementType()))
    return node.error() << "maps classes to " << x.type();
  if (indexed(names).table.size() != classes)
    return node.error() << "has a class twice";
  if (x.rank() < 1 || x.rank() > 2 ||
      x.size(x.rank() - 1) != static_cast<int64_t>(classes))
    return node.error() << "maps " << classes << " classes to " << x.type();
  return give(node, x);
}

} // namespace

std::vector<std::string> resultStrings(Node &node) {
  StringRef op = node.op();
  if (op == "ai.onnx.ml::LabelEncoder") {
    LabelEncoder encoder(node);
    return succeeded(encoder.read()) ? indexed(encoder.valueStrings()).table
                                     : std::vector<std::string>();
  }
  bool isMap = op == "ai.onnx.ml::ZipMap";
  std::vector<std::string> strings = stringsAttr(node, "classlabels_strings");
  if (isMap && strings.empty())
    for (int64_t label : node.intsAttr("classlabels_int64s"))
      strings.push_back(std::to_string(label));
  if (isMap)
    return strings;
  bool isClassifier = op == "ai.onnx.ml::LinearClassifier" ||
                      op == "ai.onnx.ml::SVMClassifier" ||
                      op == "ai.onnx.ml::TreeEnsembleClassifier";
  return isClassifier ? indexed(strings).table : std::vector<std::string>();
}

void addLabelHandlers(Handlers &handlers) {
  handlers["ai.onnx.ml::LabelEncoder"] = importLabelEncoder;
  handlers["ai.onnx.ml::ZipMap"] = importZipMap;
}

} // namespace weir::onnx
