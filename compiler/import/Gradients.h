// Gradients and the loss as results of entries, as --grad and --loss ask for
// them, for all frontends.

#ifndef WEIR_COMPILER_IMPORT_GRADIENTS_H
#define WEIR_COMPILER_IMPORT_GRADIENTS_H

#include "compiler/import/Fetched.h"
#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/import/bounded/entry/Versions.h"

namespace weir {

/// Derivatives of the sum of a tensor's elements. A frontend's `Port` says
/// which of the model's tensors it is, and is an EntryPort.
template <typename Port>
struct Derivatives {
  /// None: the loss is the one that `--loss` forms, or else gradient number
  /// `ofGradient` of those before.
  std::optional<Port> loss;
  bool ofFormed = false;
  size_t ofGradient = 0;
  /// What the gradients are called is the ports' name.
  std::vector<Port> variables = {};
};

/// The loss that `--loss` forms, of these tensors of the model.
template <typename Port>
struct FormedLoss {
  Port output;
  /// None: a new input, or none where the output is the loss.
  std::optional<Port> labels;
};

/// All that `--grad` and `--loss` add to the model's tensors.
template <typename Port>
struct Derived {
  std::vector<Derivatives<Port>> derivatives;
  /// The names of all gradients.
  std::vector<std::string> gradients;
  std::optional<FormedLoss<Port>> loss;
};

/// The position of a loss among the gradients that are given already; none
/// where it is a tensor of the model.
std::optional<size_t> gradientNamed(llvm::StringRef loss,
                                    llvm::ArrayRef<std::string> given);
/// Adds what the gradient by the variable `called` of request number `k` is
/// called, as TensorFlow calls those of several calls: `gradients/x`,
/// `gradients_1/x`; failure after an error where there is such a one.
mlir::FailureOr<std::string> addGradient(Report &report, size_t k,
                                         llvm::StringRef called,
                                         std::vector<std::string> &given);

/// What the options ask for. `find` returns the port of the tensor that an
/// option names, or fails after an error; `has` says whether there is one.
template <typename Port, typename Find, typename Has>
mlir::FailureOr<Derived<Port>> derivedResults(Report &report,
                                              const ImportOptions &options,
                                              Find find, Has has) {
  Derived<Port> all;
  if (options.loss) {
    mlir::FailureOr<Port> output = find(options.loss->output, "--loss");
    if (mlir::failed(output))
      return mlir::failure();
    all.loss = FormedLoss<Port>{std::move(*output), std::nullopt};
    if (!options.loss->labels.empty() && has(options.loss->labels)) {
      mlir::FailureOr<Port> labels = find(options.loss->labels, "--loss");
      if (mlir::failed(labels))
        return mlir::failure();
      all.loss->labels = std::move(*labels);
    }
  }
  for (auto [k, request] : llvm::enumerate(options.gradients)) {
    Derivatives<Port> &requested = all.derivatives.emplace_back();
    if (options.loss && request.loss == lossName) {
      requested.ofFormed = true;
    } else if (auto before = gradientNamed(request.loss, all.gradients)) {
      requested.ofGradient = *before;
    } else {
      mlir::FailureOr<Port> loss = find(request.loss, "--grad");
      if (mlir::failed(loss))
        return mlir::failure();
      requested.loss = std::move(*loss);
    }
    for (const std::string &name : request.variables) {
      mlir::FailureOr<Port> port = find(name, "--grad");
      if (mlir::failed(port))
        return mlir::failure();
      auto called = addGradient(report, k, port->name, all.gradients);
      if (mlir::failed(called))
        return mlir::failure();
      port->name = *called;
      requested.variables.push_back(std::move(*port));
    }
  }
  return all;
}

/// Gives the entry what its results need of the derived tensors: the losses and
/// variables of these gradients only are its inputs.
template <typename Entry, typename Port>
void takeDerived(Entry &entry, const Derived<Port> &all) {
  // For each gradient its request.
  std::vector<size_t> requests;
  for (auto [k, requested] : llvm::enumerate(all.derivatives))
    requests.insert(requests.end(), requested.variables.size(), k);
  llvm::SmallVector<bool> isNeeded(all.derivatives.size(), false);
  bool needsLoss = false;
  for (const Fetched &result : entry.results) {
    needsLoss |= result.kind == Fetched::loss;
    if (result.kind == Fetched::gradient)
      isNeeded[requests[result.number]] = true;
  }
  for (size_t k = all.derivatives.size(); k-- > 0;) {
    const Derivatives<Port> &requested = all.derivatives[k];
    if (!isNeeded[k])
      continue;
    needsLoss |= requested.ofFormed;
    if (!requested.ofFormed && !requested.loss)
      isNeeded[requests[requested.ofGradient]] = true;
  }
  std::vector<size_t> numbers(requests.size());
  size_t kept = 0;
  for (auto [gradient, k] : llvm::enumerate(requests))
    numbers[gradient] = isNeeded[k] ? kept++ : 0;
  for (auto [k, requested] : llvm::enumerate(all.derivatives)) {
    if (!isNeeded[k])
      continue;
    entry.derivatives.push_back(requested);
    if (!requested.ofFormed && !requested.loss)
      entry.derivatives.back().ofGradient = numbers[requested.ofGradient];
  }
  for (Fetched &result : entry.results)
    if (result.kind == Fetched::gradient)
      result.number = numbers[result.number];
  if (needsLoss)
    entry.loss = all.loss;
}

/// The entries that the library gets besides, still without inputs:
/// `gradients`, which returns the loss that is formed and all gradients, unless
/// the options fetch gradients elsewhere; and `loss`, where training adds none.
template <typename Entry, typename Port>
std::vector<Entry> entriesOf(const ImportOptions &options,
                             const Derived<Port> &all) {
  std::vector<Entry> entries;
  if (!all.gradients.empty() && !fetchesGradients(options, all.gradients)) {
    Entry &entry = entries.emplace_back();
    entry.name = "gradients";
    if (all.loss)
      entry.results.push_back({Fetched::loss});
    for (size_t i = 0; i < all.gradients.size(); ++i)
      entry.results.push_back({Fetched::gradient, i});
    takeDerived(entry, all);
  }
  if (all.loss && !options.training) {
    Entry &entry = entries.emplace_back();
    entry.name = lossName;
    entry.results.push_back({Fetched::loss});
    takeDerived(entry, all);
  }
  return entries;
}

/// Calls `see` with each tensor that the entry's loss and derivatives are of,
/// in the order in which `addDerived` asks for them.
template <typename Entry, typename See>
void forEachDerived(const Entry &entry, See see) {
  if (entry.loss) {
    see(entry.loss->output, /*isVariable=*/false);
    if (entry.loss->labels)
      see(*entry.loss->labels, /*isVariable=*/false);
  }
  for (const auto &requested : entry.derivatives) {
    if (requested.loss)
      see(*requested.loss, /*isVariable=*/false);
    for (const auto &port : requested.variables)
      see(port, /*isVariable=*/true);
  }
}

/// The value as one that nothing folds past, nor merges with an equal one that
/// has another number.
mlir::Value watchedValue(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                         int64_t number);

/// The tensor where gradients can be of it or by it; without a value after an
/// error.
Traced differentiable(Report &report, mlir::Location at, Traced traced);

/// The loss of the output and the labels at the builder's position in a
/// function; without a value after an error. Labels without a value are an
/// input that the function gets.
Traced formedLoss(Report &report, mlir::OpBuilder &builder, Traced output,
                  Traced labels, const LossRequest &loss);

/// Appends the derivatives of the sum of the loss by each variable, which have
/// the variables' sizes.
void addDerivatives(mlir::OpBuilder &builder, const Traced &loss,
                    llvm::ArrayRef<Traced> variables,
                    llvm::SmallVectorImpl<Traced> &gradients);

/// Adds the entry's outputs, gradients and loss in the order of its results.
/// `at` says where a port's node stands, and `traced` what the tensors are that
/// `forEachDerived` lists.
template <typename Entry, typename LocationOf>
mlir::LogicalResult
addResults(Report &report, const ImportOptions &options,
           mlir::OpBuilder &builder, const Entry &entry, EntryPorts ports,
           llvm::ArrayRef<Traced> outputs, llvm::ArrayRef<Traced> traced,
           LocationOf at, const InputSizes &inputs, const EntryResults *like,
           EntryResults &results) {
  auto next = [&] {
    Traced each = traced.front();
    traced = traced.drop_front();
    return each;
  };
  Traced loss;
  if (entry.loss) {
    Traced output = differentiable(report, at(entry.loss->output), next());
    if (!output.value)
      return mlir::failure();
    Traced labels = entry.loss->labels ? next() : Traced();
    loss = formedLoss(report, builder, output, labels, *options.loss);
    if (!loss.value)
      return mlir::failure();
  }
  std::vector<EntryPort> called;
  llvm::SmallVector<Traced> gradients;
  for (const auto &requested : entry.derivatives) {
    Traced of = requested.loss
                    ? differentiable(report, at(*requested.loss), next())
                : requested.ofFormed ? loss
                                     : Traced(gradients[requested.ofGradient]);
    llvm::SmallVector<Traced> variables;
    for (const auto &port : requested.variables) {
      variables.push_back(differentiable(report, at(port), next()));
      if (!of.value || !variables.back().value)
        return mlir::failure();
      called.push_back({port.name, port.name});
    }
    addDerivatives(builder, of, variables, gradients);
  }
  EntryPort lossPort{lossName.str(), lossName.str()};
  EntryPorts all;
  llvm::SmallVector<Traced> values;
  auto add = [&](const EntryPort *port, const Traced &value) {
    all.push_back(port);
    values.push_back(value);
  };
  for (const Fetched &result : entry.results)
    if (result.kind == Fetched::loss)
      add(&lossPort, loss);
    else if (result.kind == Fetched::gradient)
      add(&called[result.number], gradients[result.number]);
    else
      add(ports[result.number], outputs[result.number]);
  if (entry.results.empty())
    for (auto [port, output] : llvm::zip_equal(ports, outputs))
      add(port, output);
  results.addOutputs(builder, inputs, all, values, like);
  return mlir::success();
}

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_GRADIENTS_H
