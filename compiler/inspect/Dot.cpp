// Prints the graph of a module in the DOT language of Graphviz.

#include "compiler/inspect/Dot.h"

#include "compiler/Diagnostics.h"
#include "compiler/Place.h"
#include "compiler/import/TypeText.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/Visitors.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace weir {
namespace {

/// Names come from foreign files: printable ASCII, and nothing that ends the
/// string or that Graphviz replaces.
std::string quoted(StringRef text) {
  std::string out;
  for (char c : escaped(text)) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

std::string textOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getElementType().isIntOrFloat())
    return typeText(tensor.getShape(), tensor.getElementType(), "");
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

struct Writer {
  llvm::raw_ostream &os;
  /// The node that a value comes from.
  llvm::DenseMap<Value, unsigned> nodes = llvm::DenseMap<Value, unsigned>();
  unsigned count = 0, clusters = 0;

  unsigned node(StringRef label, StringRef second, StringRef shape) {
    os << "  n" << count << " [label=\"" << quoted(label);
    if (!second.empty())
      os << "\\n" << quoted(second);
    os << "\", shape=" << shape << "];\n";
    return count++;
  }

  void edges(Operation *op, unsigned to) {
    for (Value operand : op->getOperands())
      if (auto from = nodes.find(operand); from != nodes.end())
        os << "  n" << from->second << " -> n" << to << " [label=\""
           << quoted(textOf(operand.getType())) << "\"];\n";
  }

  static StringRef nameAt(DictionaryAttr names) {
    StringAttr name = attrs::name.in(names);
    return name ? name.getValue() : StringRef();
  }

  void begin(Operation *op, Region &region) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    std::string label;
    if (function) {
      auto entry = attrs::entry.of(op);
      label = (entry ? entry.getValue() : function.getName()).str();
    } else if (op->getNumRegions() > 1) {
      label = op->getName().stripDialect().str() + ", region " +
              std::to_string(region.getRegionNumber());
    } else {
      label = op->getName().stripDialect().str();
    }
    os << "  subgraph cluster_" << clusters++ << " {\n  label=\""
       << quoted(label) << "\";\n";
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments()) {
        StringRef name;
        if (function && block.isEntryBlock())
          name = nameAt(function.getArgAttrDict(argument.getArgNumber()));
        nodes[argument] = node(name.empty() ? StringRef("argument") : name,
                               textOf(argument.getType()), "ellipse");
      }
  }

  /// The results of a function are nodes, with their names.
  void result(Operation *terminator, FunctionOpInterface function) {
    for (auto [i, operand] : llvm::enumerate(terminator->getOperands())) {
      StringRef name;
      if (i < function.getNumResults())
        name = nameAt(function.getResultAttrDict(i));
      unsigned to = node(name.empty() ? StringRef("result") : name,
                         textOf(operand.getType()), "ellipse");
      if (auto from = nodes.find(operand); from != nodes.end())
        os << "  n" << from->second << " -> n" << to << ";\n";
    }
  }

  void operation(Operation *op) {
    if (isa<ModuleOp, FunctionOpInterface>(op))
      return;
    auto function = dyn_cast<FunctionOpInterface>(op->getParentOp());
    if (function && op->hasTrait<OpTrait::IsTerminator>())
      return result(op, function);
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    std::string second =
        isConstant ? textOf(op->getResult(0).getType()) : nodeOf(op->getLoc());
    unsigned own =
        node(op->getName().stripDialect(), second, isConstant ? "note" : "box");
    edges(op, own);
    for (Value value : op->getResults())
      nodes[value] = own;
  }

  void write(ModuleOp module) {
    os << "digraph model {\n  node [fontname=\"sans-serif\"];\n"
       << "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    module->walk([&](Operation *op, const WalkStage &stage) {
      if (stage.isBeforeAllRegions())
        operation(op);
      if (isa<ModuleOp>(op))
        return;
      if (stage.getNextRegion() > 0)
        os << "  }\n";
      if (!stage.isAfterAllRegions())
        begin(op, op->getRegion(stage.getNextRegion()));
    });
    os << "}\n";
  }
};

} // namespace

void printDot(ModuleOp module, llvm::raw_ostream &os) {
  Writer{os}.write(module);
}

} // namespace weir
