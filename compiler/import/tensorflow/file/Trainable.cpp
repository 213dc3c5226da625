// Which variables of a SavedModel are for training to change.

#include "compiler/import/tensorflow/file/Trainable.h"

#include "compiler/import/tensorflow/file/SavedModel.h"

using namespace mlir;

namespace weir::tensorflow {

/// The graph's only collection that says so; VariableDef is its element.
constexpr StringRef collectionName = "trainable_variables";

Trainable::Trainable(const SavedModelFile &model) : graph(model.graph) {
  if (!graph)
    return;
  for (const auto &object : graph->object_graph_def().nodes())
    if (object.has_variable()) {
      auto [known, isNew] = byName.try_emplace(object.variable().name(), false);
      known->second |= object.variable().trainable();
    }
  auto collection = graph->collection_def().find(collectionName.str());
  if (collection == graph->collection_def().end())
    return;
  collected.emplace();
  for (const std::string &bytes : collection->second.bytes_list().value()) {
    ::tensorflow::VariableDef variable;
    if (variable.ParseFromString(bytes))
      collected->insert(StringRef(variable.variable_name()).split(':').first);
  }
}

std::optional<bool> Trainable::atKey(StringRef key) const {
  if (!key.consume_back("/.ATTRIBUTES/VARIABLE_VALUE"))
    return std::nullopt;
  SmallVector<StringRef> parts;
  key.split(parts, '/');
  const auto &objects = graph->object_graph_def().nodes();
  int at = 0;
  for (StringRef part : parts) {
    // As TensorFlow escapes what separates.
    std::string name;
    for (; !part.empty();) {
      bool isEscape = part.size() > 1 && part[0] == '.' &&
                      (part[1] == '.' || part[1] == 'S');
      name += isEscape && part[1] == 'S' ? '/' : part[0];
      part = part.drop_front(isEscape ? 2 : 1);
    }
    if (at >= objects.size())
      return std::nullopt;
    const auto &children = objects[at].children();
    auto child = llvm::find_if(children, [&](const auto &reference) {
      return reference.local_name() == name;
    });
    if (child == children.end() || child->node_id() < 0 ||
        child->node_id() >= objects.size())
      return std::nullopt;
    at = child->node_id();
  }
  if (!objects[at].has_variable())
    return std::nullopt;
  return objects[at].variable().trainable();
}

bool Trainable::has(StringRef name, StringRef key) const {
  if (!graph)
    return true;
  if (std::optional<bool> known = atKey(key))
    return *known;
  if (auto known = byName.find(name); known != byName.end())
    return known->second;
  return !collected || collected->contains(name);
}

} // namespace weir::tensorflow
