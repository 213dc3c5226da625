// The table of evaluators, and the types of results.

#include "compiler/reference/Families.h"

using namespace mlir;

namespace weir::reference {

Results Evaluators::pack(Tensor tensor) {
  SmallVector<Tensor, 1> results;
  results.push_back(std::move(tensor));
  return results;
}

const Evaluators &evaluators() {
  static const Evaluators all = [] {
    Evaluators all;
    for (auto addFamily : {addShape, addIndex, addOrder, addReduce,
                           addContraction, addPool, addLinear, addPacked})
      addFamily(all);
    return all;
  }();
  return all;
}

RankedTensorType resultType(Operation *op, unsigned index) {
  return cast<RankedTensorType>(op->getResult(index).getType());
}

SmallVector<Tensor, 1> zeroResults(Operation *op) {
  SmallVector<Tensor, 1> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results.push_back(Tensor(resultType(op, i)));
  return results;
}

} // namespace weir::reference
