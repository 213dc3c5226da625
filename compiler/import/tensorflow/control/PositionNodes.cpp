// Nodes that say where something runs: tensors sent from one device to another,
// branches by device, and values of branches that are not taken.

#include "compiler/import/tensorflow/control/PositionNodes.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/Types.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// A tensor of nobody's interest, of a shape that must be known.
LogicalResult importFakeParam(Node &node) {
  Type type = node.typeAttr("dtype");
  const auto *wanted = node.attr("shape", "a shape");
  if (!wanted)
    return node.missing("shape");
  if (!type)
    return node.unsupported("its element type");
  auto shape = shapeOf(wanted->shape());
  if (failed(shape))
    return node.error() << "has no valid shape";
  if (!*shape || ShapedType::isDynamicShape(**shape))
    return node.unsupported("a shape that is not known");
  if (!byteSize(**shape, 8))
    return node.error() << "its result is larger than a tensor may be";
  return node.result(splat(node.b, RankedTensorType::get(**shape, type), 0));
}

/// The place of the first device's kind in a list of kinds; behind its end
/// where it is not there. All targets compute what a CPU does.
LogicalResult importDeviceIndex(Node &node) {
  const auto *names = node.listAttr("device_names", "strings");
  if (!names)
    return node.missing("device_names");
  auto found = llvm::find(names->s(), "CPU");
  return node.result(splat(node.b,
                           RankedTensorType::get({}, node.b.getI32Type()),
                           static_cast<double>(found - names->s().begin())));
}

bool isSend(StringRef op) { return op == "_Send" || op == "_HostSend"; }

/// What the graph's own node sends under the same name.
LogicalResult importReceive(Node &node) {
  StringRef name = node.stringAttr("tensor_name");
  const Graph &graph = *node.tracer.frame().graph;
  std::optional<Edge> sent;
  for (int i = 0; i < graph.size(); ++i) {
    if (!isSend(graph.op(i)))
      continue;
    auto attribute = graph.node(i).attr().find("tensor_name");
    if (attribute == graph.node(i).attr().end() ||
        attribute->second.s() != name || graph.operands(i).size() != 1)
      continue;
    if (sent)
      return node.error() << "two nodes send '" << escaped(name) << "'";
    sent = graph.operands(i)[0];
  }
  if (name.empty() || !sent)
    return node.error() << "no node of the graph sends '" << escaped(name)
                        << "'; give it a value with --feed="
                        << escaped(node.name());
  auto value = node.tracer.traceAside(graph, *sent);
  if (failed(value))
    return failure();
  Type wanted = node.typeAttr("tensor_type");
  if (wanted && value->value && !value->imaginary &&
      typeOf(value->value).getElementType() != wanted)
    return node.error() << "is for " << wanted << ", but is sent a "
                        << value->value.getType();
  return node.tracedResults({*value});
}

LogicalResult importSend(Node &node) { return node.tracedResults({}); }

} // namespace

void addPositionNodeHandlers(Handlers &handlers) {
  handlers["FakeParam"] = importFakeParam;
  handlers["DeviceIndex"] = importDeviceIndex;
  for (StringRef op : {"_Recv", "_HostRecv"})
    handlers[op] = importReceive;
  for (StringRef op : {"_Send", "_HostSend"})
    handlers[op] = {importSend, Takes::whole};
}

} // namespace weir::tensorflow
