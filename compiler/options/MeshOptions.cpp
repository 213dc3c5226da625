// Parses the ranks of a library.

#include "compiler/OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {

/// Of all axes together. A rank is a process.
constexpr int64_t mostRanks = 65536;

static bool isAxisName(StringRef name) {
  return !name.empty() && isAlpha(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

void readMesh(const InputArgList &args, Options &options, Usage &usage) {
  StringRef text = args.getLastArgValue(OPT_mesh_EQ);
  if (!args.hasArg(OPT_mesh_EQ))
    return;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  StringSet<> names;
  int64_t ranks = 1;
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    int64_t size;
    if (!isAxisName(name) || number.getAsInteger(10, size) || size < 1) {
      usage.say() << "--mesh=" << escaped(text)
                  << " is not AXIS=N,..., as in data=4\n";
      return;
    }
    if (!names.insert(name).second)
      usage.say() << "--mesh has the axis '" << name << "' twice\n";
    if (size > mostRanks / ranks) {
      usage.say() << "--mesh has more than " << mostRanks << " ranks\n";
      return;
    }
    ranks *= size;
    options.mesh.push_back({name.str(), size});
  }
  if (options.gpu.isOn())
    usage.say() << "--mesh does not go with --gpu\n";
  if (options.profile)
    usage.say() << "--mesh does not go with --profile\n";
  if (!options.isaVariants.empty())
    usage.say() << "--mesh does not go with --multiversion\n";
  for (auto [id, name] :
       {std::pair(OPT_check_EQ, "--check"), std::pair(OPT_state_EQ, "--state"),
        std::pair(OPT_specialize_EQ, "--specialize")})
    if (args.hasArg(id))
      usage.say() << "--mesh does not go with " << name << "\n";
}

} // namespace weir
