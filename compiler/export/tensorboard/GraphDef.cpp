// A module as a GraphDef, for tools that show graphs.

#include "compiler/export/tensorboard/GraphDef.h"

#include "compiler/Place.h"
#include "compiler/import/TypeText.h"
#include "compiler/import/tensorflow/proto/graph.pb.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace mlir;

namespace weir {
namespace {

class GraphDefWriter {
public:
  void write(FunctionOpInterface function, bool isOnly) {
    StringAttr entry = attrs::entry.of(function);
    std::string scope;
    if (!isOnly)
      scope = (entry ? entry.getValue() : function.getName()).str() + "/";
    Block &block = function.getFunctionBody().front();
    for (BlockArgument argument : block.getArguments()) {
      StringAttr name =
          attrs::name.in(function.getArgAttrDict(argument.getArgNumber()));
      addArgument(argument, name ? scope + name.str() : scope + "argument",
                  "Placeholder");
    }
    writeBlock(block, scope);
    for (auto [i, value] :
         llvm::enumerate(block.getTerminator()->getOperands())) {
      StringAttr name;
      if (i < function.getNumResults())
        name = attrs::name.in(function.getResultAttrDict(i));
      auto &result = addNode(
          scope + "results/" + (name ? name.str() : "result"), "Result");
      addInputs(result, value);
    }
  }

  std::string bytes() {
    graph.mutable_versions()->set_producer(1);
    std::string bytes;
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    // The attributes of a node are a map.
    coded.SetSerializationDeterministic(true);
    graph.SerializeToCodedStream(&coded);
    coded.Trim();
    return bytes;
  }

private:
  ::tensorflow::NodeDef &addNode(StringRef wanted, StringRef op) {
    std::string name = llvm::json::fixUTF8(wanted), free = name;
    while (!names.insert(free).second)
      free = name + "_" + std::to_string(++counts[name]);
    ::tensorflow::NodeDef &node = *graph.add_node();
    node.set_name(free);
    node.set_op(op.str());
    return node;
  }

  void addInputs(::tensorflow::NodeDef &node, ValueRange values) {
    for (Value value : values)
      node.add_input(edges.lookup(value));
  }

  static void addShapes(::tensorflow::NodeDef &node, ValueRange values) {
    auto &attributes = *node.mutable_attr();
    auto &shapes = *attributes["_output_shapes"].mutable_list();
    std::string types;
    for (Value value : values) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        continue;
      auto &shape = *shapes.add_shape();
      for (int64_t size : type.getShape())
        shape.add_dim()->set_size(size);
      types += types.empty() ? "" : ", ";
      types += typeText(type.getShape(), type.getElementType(), "");
    }
    attributes["types"].set_s(types);
  }

  ::tensorflow::NodeDef &addArgument(BlockArgument argument, StringRef name,
                                     StringRef op) {
    ::tensorflow::NodeDef &node = addNode(name, op);
    addShapes(node, ValueRange(argument));
    edges[argument] = node.name();
    return node;
  }

  void writeOp(Operation &op, StringRef scope) {
    StringRef kind = op.getName().stripDialect();
    std::string name = nodeOf(op.getLoc());
    if (name.empty())
      name = kind.str();
    bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
    ::tensorflow::NodeDef &node =
        addNode((scope + name).str(), isConstant ? "Const" : kind);
    addInputs(node, op.getOperands());
    addShapes(node, op.getResults());
    for (OpResult result : op.getResults()) {
      unsigned i = result.getResultNumber();
      edges[result] = node.name() + (i ? ":" + std::to_string(i) : "");
    }
    std::string own = node.name();
    for (Region &region : op.getRegions()) {
      std::string inner = own + "/";
      if (op.getNumRegions() > 1)
        inner += "region_" + std::to_string(region.getRegionNumber()) + "/";
      for (Block &block : region)
        writeRegion(op, block, inner);
    }
  }

  /// Arguments of a region begin as the operands of its op.
  void writeRegion(Operation &op, Block &block, StringRef scope) {
    for (BlockArgument argument : block.getArguments()) {
      auto &node =
          addArgument(argument, (scope + "argument").str(), "Argument");
      if (argument.getArgNumber() < op.getNumOperands())
        addInputs(node, op.getOperand(argument.getArgNumber()));
    }
    writeBlock(block, scope);
    if (block.mightHaveTerminator()) {
      auto &node = addNode((scope + "results").str(), "Result");
      addInputs(node, block.getTerminator()->getOperands());
    }
  }

  void writeBlock(Block &block, StringRef scope) {
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::IsTerminator>())
        writeOp(op, scope);
  }

  ::tensorflow::GraphDef graph;
  llvm::DenseMap<Value, std::string> edges;
  llvm::StringSet<> names;
  llvm::StringMap<unsigned> counts;
};

} // namespace

std::string graphDefOf(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      functions.push_back(function);
  GraphDefWriter writer;
  for (FunctionOpInterface function : functions)
    writer.write(function, functions.size() == 1);
  return writer.bytes();
}

} // namespace weir
