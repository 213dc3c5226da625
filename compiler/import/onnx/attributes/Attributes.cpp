// Checks the attributes of nodes against tables of each operator's.

#include "compiler/import/onnx/attributes/Attributes.h"

#include "compiler/Diagnostics.h"
#include "compiler/import/onnx/Tracer.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using ::onnx::AttributeProto;

namespace weir::onnx {

namespace {

/// The type of each attribute by its name; UNDEFINED is any.
using Known = std::map<StringRef, AttributeProto::AttributeType>;

/// The attributes of an operator, by the opset since which it has them.
using Versions = std::map<int64_t, Known>;

constexpr StringRef specified =
#include "compiler/import/onnx/attributes/Specified.inc"
    ;

constexpr StringRef further =
#include "compiler/import/onnx/attributes/Further.inc"
    ;

AttributeProto::AttributeType typeOf(char letter) {
  switch (letter) {
  case 'f':
    return AttributeProto::FLOAT;
  case 'i':
    return AttributeProto::INT;
  case 's':
    return AttributeProto::STRING;
  case 't':
    return AttributeProto::TENSOR;
  case 'g':
    return AttributeProto::GRAPH;
  case 'F':
    return AttributeProto::FLOATS;
  case 'I':
    return AttributeProto::INTS;
  case 'S':
    return AttributeProto::STRINGS;
  case 'T':
    return AttributeProto::TENSORS;
  case 'G':
    return AttributeProto::GRAPHS;
  case 'x':
    return AttributeProto::SPARSE_TENSOR;
  case 'X':
    return AttributeProto::SPARSE_TENSORS;
  case 'p':
    return AttributeProto::TYPE_PROTO;
  case 'P':
    return AttributeProto::TYPE_PROTOS;
  default:
    llvm_unreachable("a letter of the tables");
  }
}

/// Adds the lines of a table: `Op since name=letter ...`.
void add(StringRef table, llvm::StringMap<Versions> &ops) {
  for (StringRef line : llvm::split(table, '\n')) {
    SmallVector<StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    if (words.empty())
      continue;
    int64_t since = 0;
    bool isNumber = !words[1].getAsInteger(10, since);
    assert(isNumber && "a line names an operator and an opset");
    (void)isNumber;
    Known &known = ops[words[0]][since];
    for (StringRef word : ArrayRef(words).drop_front(2)) {
      auto [name, letter] = word.split('=');
      known[name] = typeOf(letter.front());
    }
  }
}

const llvm::StringMap<Versions> &allOps() {
  static const llvm::StringMap<Versions> table = [] {
    llvm::StringMap<Versions> ops;
    add(specified, ops);
    add(further, ops);
    return ops;
  }();
  return table;
}

/// The type of a value, which the first versions of the format did not write;
/// UNDEFINED for an empty list of these.
AttributeProto::AttributeType typeOf(const AttributeProto &value) {
  if (value.has_type() && value.type() != AttributeProto::UNDEFINED)
    return value.type();
  if (value.has_i())
    return AttributeProto::INT;
  if (value.has_f())
    return AttributeProto::FLOAT;
  if (value.has_s())
    return AttributeProto::STRING;
  if (value.has_t())
    return AttributeProto::TENSOR;
  if (value.has_g())
    return AttributeProto::GRAPH;
  if (value.ints_size())
    return AttributeProto::INTS;
  if (value.floats_size())
    return AttributeProto::FLOATS;
  return value.strings_size() ? AttributeProto::STRINGS
                              : AttributeProto::UNDEFINED;
}

StringRef nameOf(AttributeProto::AttributeType type) {
  return AttributeProto::AttributeType_Name(type);
}

/// Refuses what is not known. `owner` has the attributes.
LogicalResult check(Node &node, const Known &known, const Twine &owner) {
  for (const AttributeProto &attribute : node.def.attribute()) {
    StringRef name = attribute.name();
    // Runtimes keep notes of their own under such names, as the specification's
    // checker allows.
    if (name.starts_with("__"))
      continue;
    auto found = known.find(name);
    if (found == known.end()) {
      SmallVector<StringRef> names =
          llvm::to_vector(llvm::make_first_range(known));
      return node.error() << "has an attribute '" << escaped(name, 60)
                          << "', which " << owner << " does not have"
                          << didYouMean(name, names);
    }
    const AttributeProto *value = node.attr(name);
    AttributeProto::AttributeType type =
        value ? typeOf(*value) : AttributeProto::UNDEFINED;
    if (!found->second || !type || type == found->second)
      continue;
    return node.error() << "attribute '" << escaped(name, 60)
                        << "' is not of kind " << nameOf(found->second).lower()
                        << " but of " << nameOf(type).lower();
  }
  return success();
}

} // namespace

LogicalResult checkAttributes(Node &node) {
  auto found = allOps().find(node.op());
  if (found == allOps().end())
    return success();
  // Nodes of an opset before the operator's first are read as of that.
  const Versions &versions = found->second;
  auto after = versions.upper_bound(node.opset());
  const Known &known =
      (after == versions.begin() ? after : std::prev(after))->second;
  StringRef domain = node.def.domain();
  if (domain == "com.microsoft")
    return check(node, known, "the operator");
  return check(node, known, "the operator of opset " + Twine(node.opset()));
}

LogicalResult checkAttributes(Node &node,
                              const ::onnx::FunctionProto &function) {
  Known known;
  for (const std::string &name : function.attribute())
    known[name] = AttributeProto::UNDEFINED;
  for (const AttributeProto &attribute : function.attribute_proto())
    known[attribute.name()] = attribute.type();
  return check(node, known, "the function");
}

} // namespace weir::onnx
