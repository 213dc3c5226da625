// The evaluators of the reference interpreter, by op.

#ifndef WEIR_COMPILER_REFERENCE_FAMILIES_H
#define WEIR_COMPILER_REFERENCE_FAMILIES_H

#include "compiler/reference/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <optional>

namespace weir::reference {

/// The results of an op. None if its value is undefined.
using Results = std::optional<llvm::SmallVector<Tensor, 1>>;
using Operands = llvm::ArrayRef<TensorRef>;

/// Functions that compute the results of pure ops.
class Evaluators {
public:
  using Function = std::function<Results(mlir::Operation *, Operands)>;

  /// Adds the evaluator of an op: the op is its first parameter, the operands
  /// are its second. It returns a Tensor or Results.
  template <typename F>
  void add(F evaluate) {
    using Op = typename llvm::function_traits<F>::template arg_t<0>;
    table[Op::getOperationName()] = [evaluate](mlir::Operation *op,
                                               Operands operands) -> Results {
      return pack(evaluate(llvm::cast<Op>(op), operands));
    };
  }
  /// Adds one evaluator, which takes any op, for several ops.
  template <typename... Ops, typename F>
  void addEach(F evaluate) {
    (add([evaluate](Ops op, Operands operands) {
       return evaluate(op, operands);
     }),
     ...);
  }

  /// The evaluator of the op of this name, or null.
  const Function *find(llvm::StringRef op) const {
    auto found = table.find(op);
    return found == table.end() ? nullptr : &found->second;
  }

private:
  static Results pack(Tensor tensor);
  static Results pack(Results results) { return results; }

  llvm::StringMap<Function> table;
};

/// The evaluators of all ops except elementwise ones.
const Evaluators &evaluators();

void addShape(Evaluators &all);
void addIndex(Evaluators &all);
void addOrder(Evaluators &all);
void addReduce(Evaluators &all);
void addContraction(Evaluators &all);
void addPool(Evaluators &all);
void addLinear(Evaluators &all);
void addPacked(Evaluators &all);

/// Evaluates an op with ScalarOpInterface.
Results evaluateElementwise(mlir::Operation *op, Operands operands);

/// The type of result `index`.
mlir::RankedTensorType resultType(mlir::Operation *op, unsigned index = 0);
/// Tensors of zeros, one for each result.
llvm::SmallVector<Tensor, 1> zeroResults(mlir::Operation *op);

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_FAMILIES_H
