// Registers the ops, types and constants of the graph dialect.

#include "dialects/graph/Graph.h"

#include "dialects/weir/Weir.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/graph/custom/Custom.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/graph/state/State.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace weir::graph;

#include "dialects/graph/GraphDialect.cpp.inc"
#include "dialects/graph/GraphEnums.cpp.inc"
#include "dialects/graph/GraphInterfaces.cpp.inc"

void GraphDialect::initialize() {
  // The dialects of scalar functions, and of their folds.
  getContext()
      ->loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect, WeirDialect>();
  addOperations<
#define GET_OP_LIST
#include "dialects/graph/CoreOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/collective/CollectiveOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/custom/CustomOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/ElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/gradients/GradientOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/IndexOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/LogicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/MathOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/SpecialOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/LinearOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/NeuralOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/packed/PackedOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/ReduceOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/ShapeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/state/StateOps.cpp.inc"
      >();
  for (auto *attach : {attachCoreDerivatives, attachElementwiseDerivatives,
                       attachGradientDerivatives, attachIndexDerivatives,
                       attachLinearDerivatives, attachNeuralDerivatives,
                       attachReduceDerivatives, attachShapeDerivatives})
    attach(getContext());
}

Operation *GraphDialect::materializeConstant(OpBuilder &b, Attribute value,
                                             Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return b.create<ConstantOp>(loc, elements);
}

Type weir::graph::signless(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}
