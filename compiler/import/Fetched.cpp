// Finds what --fetch and --entry name.

#include "compiler/import/Fetched.h"

using namespace mlir;

namespace weir {

EntryRequest parseEntry(StringRef text) {
  auto [name, lists] = text.split(':');
  auto [fetches, targets] = lists.split(';');
  EntryRequest request{name.str(), {}, {}};
  for (auto [list, to] : {std::pair(fetches, &request.fetches),
                          std::pair(targets, &request.targets)}) {
    SmallVector<StringRef> names;
    list.split(names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef each : names)
      to->push_back(each.str());
  }
  return request;
}

std::optional<Fetched> fetchedNamed(StringRef name,
                                    ArrayRef<std::string> gradients,
                                    const ImportOptions &options) {
  if (options.loss && name == lossName)
    return Fetched{Fetched::loss};
  const auto *found = llvm::find(gradients, name);
  if (found == gradients.end())
    return std::nullopt;
  return Fetched{Fetched::gradient,
                 static_cast<size_t>(found - gradients.begin())};
}

bool fetchesGradients(const ImportOptions &options,
                      ArrayRef<std::string> gradients) {
  auto names = [&](ArrayRef<std::string> fetches) {
    return llvm::any_of(fetches, [&](const std::string &fetch) {
      return llvm::is_contained(gradients, fetch);
    });
  };
  return names(options.fetches) ||
         llvm::any_of(options.entries, [&](const std::string &text) {
           return names(parseEntry(text).fetches);
         });
}

} // namespace weir
