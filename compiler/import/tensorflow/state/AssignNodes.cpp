// Assignments to variables: of a value, of a sum or difference, of rows.

#include "compiler/import/Build.h"
#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/shape/IndexNodes.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/shape/Scatters.h"
#include "compiler/import/tensorflow/shape/SliceUpdates.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

/// The result of an assignment: the variable for a reference, otherwise none.
static LogicalResult giveVariable(Node &node) {
  if (!variableAt(node, 0)->isReference)
    return node.tracedResults({});
  return node.tracedResults({{{}, {}, node.traced(0).object}});
}

static LogicalResult wantValue(Node &node) {
  if (node.size() < 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  const Traced &value = node.traced(1);
  if ((!value.value && !value.object) || value.imaginary || value.isBounded())
    return node.unsupported("an assignment of something that is no tensor of "
                            "a known size");
  return success();
}

static LogicalResult importAssign(Node &node) {
  if (failed(wantValue(node)))
    return failure();
  FailureOr<Value> value = tensorAt(node, 1);
  if (failed(value))
    return failure();
  const Variable *variable = variableAt(node, 0);
  if (!variable) {
    // Frozen graphs assign to the constant that the variable has become.
    Value target = node.traced(0).value;
    if (!target || target.getType() != value->getType())
      return node.error() << "assigns a value of another type";
    return node.result(*value);
  }
  if (variable->element && typeOf(*value).getElementType() != variable->element)
    return node.error() << "assigns a " << value->getType() << " to variable '"
                        << escaped(variable->name) << "' of "
                        << variable->element;
  return failed(assign(node, *variable, *value)) ? failure()
                                                 : giveVariable(node);
}

static LogicalResult importAssignSum(Node &node) {
  if (failed(wantValue(node)))
    return failure();
  FailureOr<Value> old = tensorAt(node, 0), by = tensorAt(node, 1);
  if (failed(old) || failed(by))
    return failure();
  if (old->getType() != by->getType())
    return node.error() << "changes a " << old->getType() << " by a "
                        << by->getType();
  bool isSum = node.op().contains("Add");
  Value value = isSum ? make<graph::AddOp>(node.b, *old, *by)
                      : make<graph::SubOp>(node.b, *old, *by);
  const Variable *variable = variableAt(node, 0);
  if (!variable)
    return node.result(value);
  return failed(assign(node, *variable, value)) ? failure()
                                                : giveVariable(node);
}

/// Has the node's handler work on the values of variables instead.
static LogicalResult runOnValues(Node &node) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i) {
    FailureOr<Value> value = tensorAt(node, i);
    if (failed(value))
      return failure();
    operands.push_back({*value, {}, nullptr});
  }
  return node.runOn(operands);
}

/// Of a variable the rows change, of a tensor the result has others.
template <Handler run>
static LogicalResult importRows(Node &node) {
  const Variable *variable = variableAt(node, 0);
  if (!variable)
    return run(node);
  if (failed(runOnValues(node)) ||
      failed(assign(node, *variable, node.given.front().value)))
    return failure();
  return giveVariable(node);
}

template <Handler run>
static LogicalResult importPart(Node &node) {
  return variableAt(node, 0) ? runOnValues(node) : run(node);
}

void addAssignHandlers(Handlers &handlers) {
  for (StringRef op : {"Assign", "AssignVariableOp"})
    handlers[op] = {importAssign, Takes::anything};
  for (StringRef op :
       {"AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"})
    handlers[op] = {importAssignSum, Takes::anything};
  for (StringRef op :
       {"ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv",
        "ScatterMin", "ScatterMax"}) {
    handlers[op] = {importRows<importScatter>, Takes::anything};
    handlers[("Resource" + op).str()] = {importRows<importScatter>,
                                         Takes::anything};
  }
  for (StringRef op : {"ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub",
                       "ScatterNdMin", "ScatterNdMax"}) {
    handlers[op] = {importRows<importTensorScatter>, Takes::anything};
    handlers[("Resource" + op).str()] = {importRows<importTensorScatter>,
                                         Takes::anything};
  }
  for (StringRef op : {"StridedSliceAssign", "ResourceStridedSliceAssign"})
    handlers[op] = {importRows<importStridedSliceUpdate>, Takes::anything};
  handlers["ResourceGather"] = {importPart<importGather>, Takes::anything};
  handlers["ResourceGatherNd"] = {importPart<importGatherNd>, Takes::anything};
}

} // namespace weir::tensorflow
