// One node of a graph while it becomes graph ops: what a handler can ask of it
// in every frontend.

#ifndef WEIR_COMPILER_IMPORT_TRACEDNODE_H
#define WEIR_COMPILER_IMPORT_TRACEDNODE_H

#include "compiler/Diagnostics.h"
#include "compiler/import/Traced.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include <optional>

namespace google::protobuf {
template <typename Element>
class RepeatedPtrField;
} // namespace google::protobuf

namespace weir {

class Tracing;

class TracedNode {
public:
  llvm::StringRef name() const { return label; }
  llvm::StringRef op() const { return kind; }

  /// The data operands, those that are left out among them but for the last
  /// ones.
  unsigned size() const { return operands.size(); }
  /// Whether operand `i` is given.
  bool has(unsigned i) const {
    return i < operands.size() && (operands[i].value || operands[i].object);
  }
  /// The tensor at operand `i`; null where it is left out. Handlers that take
  /// plain tensors need not check what it is: the importer has.
  mlir::Value operand(unsigned i) const { return traced(i).value; }
  const Traced &traced(unsigned i) const {
    static const Traced nothing;
    return i < operands.size() ? operands[i] : nothing;
  }
  /// Of an operand that is missing a scalar's; the importer then reports it.
  mlir::RankedTensorType type(unsigned i) const;
  llvm::ArrayRef<int64_t> shape(unsigned i) const { return type(i).getShape(); }
  int64_t rank(unsigned i) const { return type(i).getRank(); }
  mlir::Type element(unsigned i) const { return type(i).getElementType(); }

  /// The value of an operand that must be known at compile time; says which it
  /// is where it is not.
  mlir::FailureOr<mlir::DenseElementsAttr> constant(unsigned i);
  /// The same, where it may be unknown.
  std::optional<mlir::DenseElementsAttr> tryConstant(unsigned i) const;
  /// The integers of a constant operand, in order.
  mlir::FailureOr<llvm::SmallVector<int64_t>> integers(unsigned i);
  mlir::FailureOr<int64_t> integer(unsigned i);
  /// An axis in [-rank, rank), made positive; an error where it is none.
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// The same for several, which must differ; in the order in which they come.
  mlir::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank);

  /// Gives the results, in order.
  mlir::LogicalResult results(mlir::ValueRange values);
  mlir::LogicalResult result(mlir::Value value) { return results(value); }
  mlir::LogicalResult tracedResults(llvm::SmallVector<Traced> values);

  /// What the file calls operand `i`.
  llvm::StringRef inputName(unsigned i) const;

  /// Fails for want of an attribute.
  mlir::LogicalResult missing(llvm::StringRef name) const;

  /// Runs the handler of the node's op on other operands, of which none has
  /// sizes known only at run time; what it gives is in `given`.
  virtual mlir::LogicalResult runOn(llvm::ArrayRef<Traced> others) = 0;

  /// An error at this node: the model is at fault, or over a limit.
  mlir::InFlightDiagnostic error(Status status = Status::badInput);
  /// The node asks for what weir does not have; collected, and reported with
  /// all others of the graph.
  mlir::LogicalResult unsupported(const llvm::Twine &what);

  mlir::ImplicitLocOpBuilder &b;
  /// The walk that the node is part of.
  Tracing &tracing;

  /// Read by the importer when the handler has returned.
  llvm::SmallVector<Traced> given;

protected:
  using Names = google::protobuf::RepeatedPtrField<std::string>;

  /// `inputs` is what the file calls the operands, at least those that are
  /// given.
  TracedNode(Tracing &tracing, std::string name, std::string op,
             const Names &inputs, llvm::ArrayRef<Traced> operands,
             mlir::ImplicitLocOpBuilder &b)
      : b(b), tracing(tracing), operands(operands), label(std::move(name)),
        kind(std::move(op)), inputs(inputs) {}
  ~TracedNode() = default;

  /// Runs the handler of the node's op; an error where a result lacks a value.
  mlir::LogicalResult run();
  /// Chooses the handler by the op and the operands, and runs it.
  virtual mlir::LogicalResult handle() = 0;
  /// Checks what the handler has given.
  virtual mlir::LogicalResult checkGiven() = 0;

  /// Runs `other`, the same node on other operands, and takes over what it
  /// gives and finds wrong.
  mlir::LogicalResult runAs(TracedNode &other);

  /// An error that lists the operands, of which no result can be made.
  mlir::LogicalResult misfit();

  llvm::ArrayRef<Traced> operands;
  /// What is wrong with an attribute or operand that the handler has asked for.
  mutable std::string fault;

private:
  friend class Tracing;

  const std::string label, kind;
  const Names &inputs;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_TRACEDNODE_H
