// The entry that gives gradients, as --grad asks for it, for all frontends.

#ifndef WEIR_COMPILER_IMPORT_GRADIENTS_H
#define WEIR_COMPILER_IMPORT_GRADIENTS_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/import/bounded/entry/Versions.h"

namespace weir {

/// Derivatives of the sum of a tensor's elements. A frontend's `Port` says
/// which of the model's tensors it is, and is an EntryPort.
template <typename Port>
struct Derivatives {
  /// None: the loss is gradient number `ofGradient` of those before.
  std::optional<Port> loss;
  size_t ofGradient = 0;
  /// What the gradients are called is the ports' name.
  std::vector<Port> variables = {};
};

/// The place of a loss among the gradients that are given already; none where
/// it is a tensor of the model.
std::optional<size_t> gradientNamed(llvm::StringRef loss,
                                    llvm::ArrayRef<std::string> given);
/// Adds what the gradient by the variable `called` of request number `k` is
/// called, as TensorFlow calls those of several calls: `gradients/x`,
/// `gradients_1/x`; failure after an error where there is such a one.
mlir::FailureOr<std::string> addGradient(Report &report, size_t k,
                                         llvm::StringRef called,
                                         std::vector<std::string> &given);

/// What the options ask for. `find` gives the port of a tensor's name, or fails
/// after an error.
template <typename Port, typename Find>
mlir::FailureOr<std::vector<Derivatives<Port>>>
askedDerivatives(Report &report, const ImportOptions &options, Find find) {
  std::vector<Derivatives<Port>> all;
  std::vector<std::string> given;
  for (auto [k, request] : llvm::enumerate(options.gradients)) {
    Derivatives<Port> &asked = all.emplace_back();
    if (auto before = gradientNamed(request.loss, given)) {
      asked.ofGradient = *before;
    } else {
      mlir::FailureOr<Port> loss = find(request.loss);
      if (mlir::failed(loss))
        return mlir::failure();
      asked.loss = std::move(*loss);
    }
    for (const std::string &name : request.variables) {
      mlir::FailureOr<Port> port = find(name);
      if (mlir::failed(port))
        return mlir::failure();
      auto called = addGradient(report, k, port->name, given);
      if (mlir::failed(called))
        return mlir::failure();
      port->name = *called;
      asked.variables.push_back(std::move(*port));
    }
  }
  return all;
}

/// The value as one that nothing folds past, nor merges with an equal one that
/// has another number.
mlir::Value watchedValue(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                         int64_t number);

/// The tensor where gradients can be of it or by it; without a value after an
/// error.
Traced differentiable(Report &report, mlir::Location at, Traced traced);

/// Appends the derivatives of the sum of the loss by each variable, which have
/// the variables' sizes.
void addDerivatives(mlir::OpBuilder &builder, const Traced &loss,
                    llvm::ArrayRef<Traced> variables,
                    llvm::SmallVectorImpl<Traced> &gradients);

/// Builds the derivatives behind the results. `tensorOf` gives the loss and the
/// variables in their order, or no value after an error; each is asked for
/// once.
template <typename Port, typename TensorOf>
mlir::LogicalResult buildDerivatives(mlir::OpBuilder &builder,
                                     llvm::ArrayRef<Derivatives<Port>> asked,
                                     TensorOf tensorOf, EntryResults &results) {
  std::vector<EntryPort> ports;
  llvm::SmallVector<Traced> gradients;
  for (const Derivatives<Port> &each : asked) {
    Traced loss =
        each.loss ? tensorOf(*each.loss) : Traced(gradients[each.ofGradient]);
    if (!loss.value)
      return mlir::failure();
    llvm::SmallVector<Traced> variables;
    for (const Port &port : each.variables) {
      variables.push_back(tensorOf(port));
      if (!variables.back().value)
        return mlir::failure();
      ports.push_back({port.name, port.name});
    }
    addDerivatives(builder, loss, variables, gradients);
  }
  results.addOutputs(builder, InputSizes({}, {}), entryPorts(ports), gradients,
                     /*like=*/nullptr);
  return mlir::success();
}

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_GRADIENTS_H
