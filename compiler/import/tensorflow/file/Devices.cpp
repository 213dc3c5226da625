// The devices that a graph's nodes are constrained to.

#include "compiler/import/tensorflow/file/Devices.h"

#include "dialects/target/DeviceName.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <map>

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

namespace {

class Constraints {
public:
  explicit Constraints(const ::tensorflow::GraphDef &graph) {
    for (const NodeDef &node : graph.node())
      add(node);
    for (const auto &function : graph.library().function())
      for (const NodeDef &node : function.node_def())
        add(node);
    for (auto group = groups.begin(); group != groups.end(); ++group)
      if (group->isLeader())
        share(group);
  }

  void write(ModuleOp module) const {
    setNames(module, attrs::devices, devices);
    setNames(module, attrs::colocated, torn);
  }

private:
  using Names = std::map<std::string, std::string>;

  /// A name that functions have for nodes on different devices says nothing.
  void add(const NodeDef &node) {
    if (auto [at, isNew] = devices.emplace(node.name(), node.device());
        !isNew && at->second != node.device())
      at->second.clear();
    auto beside = node.attr().find("_class");
    if (beside == node.attr().end())
      return;
    for (StringRef name : beside->second.list().s())
      if (name.consume_front("loc:@"))
        groups.unionSets(node.name(), name.str());
  }

  /// Gives the first device of a group to all that have none.
  void share(llvm::EquivalenceClasses<std::string>::iterator group) {
    const std::string *leader = nullptr;
    DeviceKind kind = DeviceKind::Any;
    for (auto at = groups.member_begin(group); at != groups.member_end(); ++at)
      if (!leader && kindOf(*at) != DeviceKind::Any)
        leader = &*at, kind = kindOf(*at);
    if (!leader)
      return;
    for (auto at = groups.member_begin(group); at != groups.member_end(); ++at)
      if (kindOf(*at) == DeviceKind::Any)
        devices[*at] = devices[*leader];
      else if (kindOf(*at) != kind)
        torn[*at] = *leader;
  }

  DeviceKind kindOf(const std::string &node) const {
    auto found = devices.find(node);
    return found == devices.end() ? DeviceKind::Any
                                  : kindOfDevice(found->second);
  }

  static void setNames(ModuleOp module,
                       const StageAttribute<kinds::TextsByName> &attribute,
                       const Names &names) {
    Builder b(module.getContext());
    SmallVector<NamedAttribute> fields;
    for (const auto &[name, text] : names)
      if (!name.empty() && !text.empty())
        fields.push_back(b.getNamedAttr(name, b.getStringAttr(text)));
    if (!fields.empty())
      attribute.set(module, b.getDictionaryAttr(fields));
  }

  Names devices, torn;
  llvm::EquivalenceClasses<std::string> groups;
};

} // namespace

void constrain(ModuleOp module, const ::tensorflow::GraphDef &graph) {
  Constraints(graph).write(module);
}

} // namespace weir::tensorflow
