// The tables are read off the op definitions (dialects/graph/*Ops.td), never
// written here.

#include "compiler/import/Names.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace llvm;
using namespace weir::graph;

namespace weir {
namespace {

using NameList = ArrayRef<StringRef> (*)();

struct Tables {
  Tables();

  NameTable tensorflow, onnx;
  StringMap<bool> elementwiseOnnx;

private:
  template <typename... Ops>
  void addFamily();
};

template <typename... Ops>
void Tables::addFamily() {
  auto add = [](NameTable &table, StringRef target, ArrayRef<StringRef> names) {
    for (StringRef name : names)
      table[name] = target;
  };
  (add(tensorflow, Ops::getOperationName(), Ops::tensorflowNames()), ...);
  (add(onnx, Ops::getOperationName(), Ops::onnxNames()), ...);
  auto addElementwise = [&](ArrayRef<StringRef> names, bool isElementwise,
                            bool hasOneOperand) {
    if (isElementwise)
      for (StringRef name : names)
        elementwiseOnnx[name] = hasOneOperand;
  };
  (addElementwise(Ops::onnxNames(),
                  Ops::template hasTrait<ScalarOpInterface::Trait>(),
                  Ops::template hasTrait<mlir::OpTrait::OneOperand>()),
   ...);
}

Tables::Tables() {
  addFamily<
#define GET_OP_LIST
#include "dialects/graph/ElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/LogicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/MathOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/SpecialOps.cpp.inc"
      >();
  addFamily<
#define GET_OP_LIST
#include "dialects/graph/IndexOps.cpp.inc"
      >();
  addFamily<
#define GET_OP_LIST
#include "dialects/graph/LinearOps.cpp.inc"
      >();
  addFamily<
#define GET_OP_LIST
#include "dialects/graph/NeuralOps.cpp.inc"
      >();
  addFamily<
#define GET_OP_LIST
#include "dialects/graph/ReduceOps.cpp.inc"
      >();
  addFamily<
#define GET_OP_LIST
#include "dialects/graph/ShapeOps.cpp.inc"
      >();
}

const Tables &tables() {
  static const Tables tables;
  return tables;
}

} // namespace

const NameTable &tensorflowNames() { return tables().tensorflow; }

const NameTable &onnxNames() { return tables().onnx; }

const StringMap<bool> &elementwiseOnnxNames() {
  return tables().elementwiseOnnx;
}

} // namespace weir
