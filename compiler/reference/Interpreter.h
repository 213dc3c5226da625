// The reference interpreter: evaluates a program of the graph dialect in f64.

#ifndef WEIR_COMPILER_REFERENCE_INTERPRETER_H
#define WEIR_COMPILER_REFERENCE_INTERPRETER_H

#include "compiler/reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <string>

namespace weir::reference {

/// Why a program has no value.
class ReferenceError : public llvm::ErrorInfo<ReferenceError> {
public:
  enum class Kind { badInput, unsupported, limit, failedCheck };
  static char ID;

  /// `node` is a node of the model, or empty.
  ReferenceError(Kind kind, std::string node, std::string text)
      : why(kind), nodeName(std::move(node)), text(std::move(text)) {}

  Kind kind() const { return why; }
  llvm::StringRef node() const { return nodeName; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Kind why;
  std::string nodeName, text;
};

/// What a run may use at most.
struct Limits {
  /// The bytes of the tensors that are alive. An element has 8.
  uint64_t bytes = uint64_t(16) << 30;
  /// The number of ops and of rounds of loops that run.
  uint64_t steps = uint64_t(1) << 32;
};

/// Called with each result of an op. `node` is the node of the model that the
/// op is of, or empty. An op in a loop is reported in each round; ops in a
/// group are not reported.
using Observer = std::function<void(llvm::StringRef node, mlir::Value value,
                                    const TensorRef &tensor)>;

class RandomErrors;
class Scope;

/// Evaluates functions of the graph dialect op by op, without any pass. Each
/// float is a double and is not rounded to its type, except by a cast with
/// `rounds` and by ops on bits. So the results are those of exact arithmetic,
/// up to the rounding of doubles. Integers and Booleans are exact. Scalar
/// functions are those of the ops' definitions; functions such as exp are those
/// of the C library.
///
/// `coverage` in Reference.h lists the ops that are not evaluated. An
/// interpreter is for one thread.
class Interpreter {
public:
  /// `module` outlives the interpreter, and so do the errors that it adds to
  /// the results of ops.
  explicit Interpreter(mlir::ModuleOp module, Limits limits = {},
                       Observer observe = {}, RandomErrors *errors = nullptr);

  /// The results of a function on one tensor for each argument, of its type.
  /// Variables keep their values between runs. A failed check is an error; the
  /// run continues to its end before.
  llvm::Expected<llvm::SmallVector<TensorRef>>
  run(mlir::func::FuncOp function, llvm::ArrayRef<TensorRef> arguments);

  /// Whether the interpreter itself handles the op of this name.
  static bool handles(llvm::StringRef op);

private:
  using Values = llvm::SmallVector<TensorRef>;
  using Handler = llvm::Error (Interpreter::*)(mlir::Operation &, Scope &,
                                               Values &);
  using LastUses =
      llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>>;
  /// The functions for control flow, variables and checks, by op.
  static const llvm::StringMap<Handler> &handlers();

  llvm::Error readVariables();
  llvm::Error runBlock(mlir::Block &block, Scope &scope, Values &results);
  llvm::Error runRegion(mlir::Region &region, Scope *outer,
                        llvm::ArrayRef<TensorRef> arguments, Values &results);
  llvm::Error runOp(mlir::Operation &op, Scope &scope);
  llvm::Error runPure(mlir::Operation &op, Scope &scope, Values &results);

  llvm::Error constant(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error group(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error branch(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error loop(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error call(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error test(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error skip(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error readVariable(mlir::Operation &op, Scope &scope, Values &results);
  llvm::Error writeVariable(mlir::Operation &op, Scope &scope, Values &results);

  /// Counts a step, or fails.
  llvm::Error step(mlir::Operation &op);
  /// Fails if the results of an op are more than the memory that is left.
  llvm::Error reserve(mlir::Operation &op);
  /// Counts the bytes of a tensor while it is alive.
  TensorRef keep(Tensor tensor);
  /// The values that a block uses for the last time in each of its ops.
  const LastUses &lastUsesOf(mlir::Block &block);

  mlir::ModuleOp module;
  Limits limits;
  Observer observe;
  RandomErrors *errors;
  std::shared_ptr<uint64_t> live = std::make_shared<uint64_t>(0);
  uint64_t steps = 0;
  unsigned depth = 0;
  bool hasVariables = false;
  llvm::StringMap<TensorRef> variables;
  llvm::DenseMap<mlir::Attribute, TensorRef> constants;
  std::map<mlir::Block *, LastUses> lastUses;
  std::string failedCheck;
};

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_INTERPRETER_H
