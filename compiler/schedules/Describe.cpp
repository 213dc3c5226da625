// Describes the schedules of kernels.

#include "compiler/schedules/Schedules.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/cost/Cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

static json::Value valueOf(Attribute attribute) {
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    json::Array values;
    for (Attribute each : list)
      values.push_back(valueOf(each));
    return values;
  }
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  return json::fixUTF8(cast<StringAttr>(attribute).getValue());
}

/// The layout of the kernel's weights as text; empty for a kernel without any.
static std::string layoutOf(Operation *kernel) {
  auto layout =
      llvm::TypeSwitch<Operation *, Attribute>(kernel)
          .Case<kernel::MatmulOp, kernel::ConvolutionOp, kernel::DepthwiseOp,
                kernel::WinogradOp>([](auto op) { return op.getLayout(); })
          .Default(Attribute());
  std::string text;
  llvm::raw_string_ostream os(text);
  if (layout)
    layout.print(os);
  return text;
}

json::Object describeKernelSchedule(Operation *kernel) {
  auto schedule =
      kernel->getAttrOfType<kernel::ScheduleAttrInterface>("schedule");
  SmallVector<StringRef> nodes = kernel::nodesOf(kernel);
  auto function = kernel->getParentOfType<func::FuncOp>();
  json::Object entry{
      {"node",
       json::fixUTF8(llvm::Regex::escape(nodes.empty() ? "" : nodes.front()))},
      {"algorithm", kernel::nameOf(schedule.getAlgorithm())},
      {"kernel", json::fixUTF8(function ? function.getName() : "")}};
  if (std::string layout = layoutOf(kernel); !layout.empty())
    entry["layout"] = std::move(layout);
  if (std::optional<double> cycles = kernel::cyclesOf(kernel))
    entry["cycles"] = static_cast<int64_t>(std::min(*cycles, 1e15));
  for (NamedAttribute parameter : schedule.getParameters())
    entry[parameter.getName().getValue()] = valueOf(parameter.getValue());
  return entry;
}

json::Array describeKernelSchedules(ModuleOp module) {
  json::Array all;
  module.walk([&](Operation *op) {
    if (op->hasAttrOfType<kernel::ScheduleAttrInterface>("schedule"))
      all.push_back(describeKernelSchedule(op));
  });
  return all;
}

} // namespace weir
