// The files that a compilation reads, for -MD.

#include "compiler/import/Dependencies.h"

#include "llvm/ADT/StringSet.h"

#include <mutex>
#include <vector>

using namespace llvm;

namespace weir {

namespace {
struct Paths {
  std::mutex mutex;
  StringSet<> known;
  std::vector<std::string> inOrder;
};
} // namespace

static Paths &paths() {
  static Paths paths;
  return paths;
}

void addDependency(StringRef path) {
  Paths &all = paths();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (path != "-" && all.known.insert(path).second)
    all.inOrder.push_back(path.str());
}

/// As GCC and ninja have it: a backslash before a space or a `#`, which doubles
/// the backslashes in front of it, and two dollars for one.
static std::string quoted(StringRef path) {
  std::string text;
  size_t backslashes = 0;
  for (char c : path) {
    if (c == ' ' || c == '\t' || c == '#')
      text.append(backslashes + 1, '\\');
    if (c == '$')
      text += '$';
    text += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return text;
}

std::string dependencyRule(ArrayRef<std::string> targets) {
  Paths &all = paths();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::string text;
  for (const std::string &target : targets)
    text += (text.empty() ? "" : " ") + quoted(target);
  text += ':';
  for (const std::string &path : all.inOrder)
    text += " \\\n  " + quoted(path);
  return text + "\n";
}

} // namespace weir
