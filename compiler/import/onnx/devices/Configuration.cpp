// Reads the device configurations of a model and of its nodes.

#include "compiler/import/onnx/devices/Configuration.h"

#include "dialects/weir/Attributes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using ::onnx::NodeProto;
using ::onnx::ShardingSpecProto;

namespace weir::onnx {
namespace {

/// The axis of the mesh of devices.
constexpr char axis[] = "model";

/// An input, an initializer, or a node with one result, which devices have in
/// equal parts, in the order of their numbers.
struct DividedTensor {
  std::string name;
  int64_t dim;
};

struct DeviceConfiguration {
  std::string name;
  int64_t devices;
  std::vector<DividedTensor> tensors;
};

/// Collects how the nodes divide tensors in one configuration.
class Reader {
public:
  Reader(Report &report, const Model &model, DeviceConfiguration &out)
      : report(report), model(model), out(out) {}

  LogicalResult run() {
    const Graph &graph = model.graph();
    for (int i = 0; i < graph.size(); ++i)
      for (const auto &each : graph.node(i).device_configurations())
        if (failed(read(graph.node(i), each)))
          return failure();
    for (const auto &[tensor, found] : divisions)
      if (found.dim && failed(give(tensor, found)))
        return failure();
    return success();
  }

private:
  /// How a node divides a tensor; whole without a dimension.
  struct Division {
    std::optional<int64_t> dim; // negative ones count from the last dimension
    const NodeProto *node;
  };

  LogicalResult give(StringRef tensor, const Division &found) {
    int64_t dim = *found.dim;
    if (dim < 0) {
      std::optional<int64_t> rank = rankOf(tensor);
      if (!rank)
        return error(*found.node, Status::unsupported)
               << "divides '" << escaped(tensor, 60) << "' along dimension "
               << dim << ", and the model does not declare its rank";
      dim += *rank;
    }
    if (dim < 0)
      return error(*found.node) << "divides '" << escaped(tensor, 60)
                                << "' along a dimension that it has not";
    const Graph &graph = model.graph();
    std::string name = tensor.str();
    for (int i = 0; i < graph.size(); ++i)
      if (llvm::is_contained(graph.node(i).output(), tensor)) {
        if (graph.node(i).output_size() != 1)
          return error(*found.node, Status::unsupported)
                 << "divides '" << escaped(tensor, 60)
                 << "', which is one of several results of a node";
        name = labelOf(graph.node(i));
      }
    out.tensors.push_back({std::move(name), dim});
    return success();
  }

  std::optional<int64_t> rankOf(StringRef tensor) const {
    if (auto *initializer = model.graph().initializer(tensor))
      return initializer->dims_size();
    const ::onnx::TypeProto *type = model.graph().declared(tensor);
    if (!type || !type->tensor_type().has_shape())
      return std::nullopt;
    return type->tensor_type().shape().dim_size();
  }

  LogicalResult read(const NodeProto &node,
                     const ::onnx::NodeDeviceConfigurationProto &each) {
    bool isKnown = llvm::any_of(
        model.proto().configuration(), [&](const auto &configuration) {
          return configuration.name() == each.configuration_id();
        });
    if (!isKnown)
      return error(node) << "has a device configuration '"
                         << escaped(each.configuration_id(), 60)
                         << "', which the model has not";
    if (each.configuration_id() != out.name)
      return success();
    if (each.has_pipeline_stage() && report.told.insert("stages").second)
      report.warning(report.node(labelOf(node)))
          << "is of pipeline stage " << each.pipeline_stage()
          << "; each rank computes all stages";
    for (const ShardingSpecProto &spec : each.sharding_spec()) {
      FailureOr<std::optional<int64_t>> dim = dimOf(node, spec);
      if (failed(dim) || failed(add(node, spec.tensor_name(), *dim)))
        return failure();
    }
    return success();
  }

  LogicalResult add(const NodeProto &node, const std::string &tensor,
                    std::optional<int64_t> dim) {
    auto names = [&](const auto &list) {
      return llvm::is_contained(list, tensor);
    };
    if (tensor.empty() || (!names(node.input()) && !names(node.output())))
      return error(node) << "divides '" << escaped(tensor, 60)
                         << "', which is neither an operand nor a result";
    auto [known, isNew] = divisions.insert({tensor, Division{dim, &node}});
    if (isNew || known->second.dim == dim)
      return success();
    return error(node, Status::unsupported)
           << "divides '" << escaped(tensor, 60)
           << "' in another way than node '"
           << escaped(labelOf(*known->second.node), 60) << "'";
  }

  /// The only dimension that is divided; none if each device has the whole
  /// tensor.
  FailureOr<std::optional<int64_t>> dimOf(const NodeProto &node,
                                          const ShardingSpecProto &spec) {
    std::optional<int64_t> dim;
    for (const auto &each : spec.sharded_dim()) {
      int64_t shards = 1;
      for (const auto &part : each.simple_sharding())
        if (part.num_shards() < 1 ||
            llvm::MulOverflow(shards, part.num_shards(), shards))
          return error(node) << "divides '" << escaped(spec.tensor_name(), 60)
                             << "' into " << part.num_shards() << " parts";
      if (shards == 1)
        continue;
      if (shards != out.devices || dim || each.simple_sharding_size() != 1)
        return error(node, Status::unsupported)
               << "divides '" << escaped(spec.tensor_name(), 60)
               << "' into other parts than " << out.devices
               << " of one dimension, one for each device";
      dim = each.axis();
    }
    SmallVector<int64_t> devices = devicesOf(spec);
    if (!dim)
      llvm::sort(devices); // each has the whole tensor
    if (devices.size() != static_cast<size_t>(out.devices) ||
        llvm::any_of(llvm::enumerate(devices), [](auto device) {
          return device.value() != static_cast<int64_t>(device.index());
        }))
      return error(node, Status::unsupported)
             << "gives '" << escaped(spec.tensor_name(), 60)
             << "' to other devices than 0 to " << out.devices - 1
             << ", in this order";
    return dim;
  }

  /// The devices of the parts, and those of groups of devices, in their order.
  static SmallVector<int64_t> devicesOf(const ShardingSpecProto &spec) {
    SmallVector<int64_t> devices;
    for (int64_t device : spec.device()) {
      auto group = llvm::find_if(
          spec.index_to_device_group_map(),
          [&](const auto &entry) { return entry.key() == device; });
      if (group == spec.index_to_device_group_map().end())
        devices.push_back(device);
      else
        devices.append(group->value().begin(), group->value().end());
    }
    return devices;
  }

  InFlightDiagnostic error(const NodeProto &node,
                           Status status = Status::badInput) {
    InFlightDiagnostic diagnostic =
        report.error(report.node(labelOf(node)), status);
    diagnostic << "(" << escaped(node.op_type(), 60) << "): ";
    return diagnostic;
  }

  Report &report;
  const Model &model;
  DeviceConfiguration &out;
  llvm::MapVector<StringRef, Division> divisions;
};

std::string namesOf(const Model &model) {
  return llvm::join(llvm::map_range(model.proto().configuration(),
                                    [](const auto &each) {
                                      return "'" + escaped(each.name(), 60) +
                                             "'";
                                    }),
                    ", ");
}

/// Nothing if the model has no configuration, or if the option's name is empty.
FailureOr<std::optional<DeviceConfiguration>>
findConfiguration(Report &report, const Model &model,
                  const ImportOptions &options) {
  const auto &all = model.proto().configuration();
  const std::optional<std::string> &wanted = options.configuration;
  if (wanted ? wanted->empty() : all.empty())
    return std::optional<DeviceConfiguration>();
  if (!wanted && all.size() > 1)
    return report.error() << "has the device configurations " << namesOf(model)
                          << "; --configuration=NAME chooses one, and "
                             "--configuration= none";
  auto found = llvm::find_if(
      all, [&](const auto &each) { return !wanted || each.name() == *wanted; });
  if (found == all.end())
    return report.error(Status::badUsage)
           << "--configuration=" << escaped(*wanted, 60) << ": "
           << (all.empty() ? "the model has no device configurations"
                           : "the device configurations are " + namesOf(model));
  DeviceConfiguration out{found->name(), found->num_devices(), {}};
  if (out.devices < 1)
    return report.error() << "has a device configuration '"
                          << escaped(out.name, 60) << "' of " << out.devices
                          << " devices";
  if (failed(Reader(report, model, out).run()))
    return failure();
  return std::optional(std::move(out));
}

} // namespace

LogicalResult applyConfiguration(Report &report, const Model &model,
                                 const ImportOptions &options,
                                 ModuleOp module) {
  if (!options.readsConfigurations)
    return success();
  auto found = findConfiguration(report, model, options);
  if (failed(found))
    return failure();
  if (!*found || (*found)->devices == 1)
    return success();
  const DeviceConfiguration &configuration = **found;
  if (!options.refusesRanks.empty())
    return report.error(Status::badUsage)
           << "the device configuration '" << escaped(configuration.name, 60)
           << "' of " << configuration.devices << " devices does not go with "
           << options.refusesRanks
           << "; --configuration= compiles for one rank";
  Builder b(module.getContext());
  attrs::mesh.set(module,
                  MeshAttr::get(b.getContext(), b.getStrArrayAttr({axis}),
                                b.getDenseI64ArrayAttr(configuration.devices)));
  for (const DividedTensor &tensor : configuration.tensors)
    if (options.onDivided)
      options.onDivided(tensor.name, tensor.dim);
  return success();
}

} // namespace weir::onnx
