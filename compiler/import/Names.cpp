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

template <typename... Ops>
void addTo(NameTable &tensorflow, NameTable &onnx) {
  auto add = [](NameTable &table, StringRef target, ArrayRef<StringRef> names) {
    for (StringRef name : names)
      table[name] = target;
  };
  (add(tensorflow, Ops::getOperationName(), Ops::tensorflowNames()), ...);
  (add(onnx, Ops::getOperationName(), Ops::onnxNames()), ...);
}

struct Tables {
  NameTable tensorflow, onnx;
  Tables() {
    addTo<
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
        >(tensorflow, onnx);
    addTo<
#define GET_OP_LIST
#include "dialects/graph/IndexOps.cpp.inc"
        >(tensorflow, onnx);
    addTo<
#define GET_OP_LIST
#include "dialects/graph/LinearOps.cpp.inc"
        >(tensorflow, onnx);
    addTo<
#define GET_OP_LIST
#include "dialects/graph/NeuralOps.cpp.inc"
        >(tensorflow, onnx);
    addTo<
#define GET_OP_LIST
#include "dialects/graph/ReduceOps.cpp.inc"
        >(tensorflow, onnx);
    addTo<
#define GET_OP_LIST
#include "dialects/graph/ShapeOps.cpp.inc"
        >(tensorflow, onnx);
  }
};

const Tables &tables() {
  static const Tables tables;
  return tables;
}

} // namespace

const NameTable &tensorflowNames() { return tables().tensorflow; }

const NameTable &onnxNames() { return tables().onnx; }

} // namespace weir
