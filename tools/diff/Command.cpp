// `weir diff`: compares a compiled model node by node.

#include "tools/diff/Command.h"

#include "tools/diff/Judge.h"
#include "tools/diff/Print.h"
#include "tools/diff/Reduce.h"
#include "tools/diff/Run.h"
#include "tools/diff/bisect/Bisect.h"
#include "tools/reference/Files.h"
#include "tools/reference/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace weir {

using namespace diff;

namespace {

/// The sides of a comparison, and the folder with their files.
class Sides {
public:
  Sides(const Model &model, const Options &options, const ReferenceRun &run)
      : model(model), options(options), own(options.diff), run(run) {}

  Status makeA(std::optional<Side> &side) {
    return makeLibrary("a", own.flagsOfA, side);
  }

  Status makeB(std::optional<Side> &side) {
    if (!own.against.empty()) {
      if (!llvm::sys::fs::is_directory(own.against))
        return reference::fail(Status::io, "--against=" + escaped(own.against) +
                                               " is no folder");
      side.emplace("the files in " + own.against, own.against);
      return side->findFiles(model);
    }
    if (!own.library.empty())
      return runLibraryOf("b", own.library, own.library, side);
    if (own.hasFlagsOfB)
      return makeLibrary("b", own.flagsOfB, side);
    side.emplace("the f64 reference", run);
    return Status::ok;
  }

  Status createFolder() { return folder.create(); }

private:
  Status makeLibrary(StringRef name, StringRef flags,
                     std::optional<Side> &side) {
    std::string library = folder.pathOf((name + ".so").str());
    folder.know(library);
    if (Status status = compileLibrary(options, flags, library);
        status != Status::ok)
      return status;
    std::string words = "weir compile " + options.import.path;
    if (!flags.empty())
      words += " " + flags.str();
    Status status = runLibraryOf(name, library, words, side);
    folder.remove(library);
    return status;
  }

  Status runLibraryOf(StringRef name, const std::string &library,
                      const std::string &words, std::optional<Side> &side) {
    if (Status status = folder.createFolder(name); status != Status::ok)
      return status;
    std::string outputs = folder.pathOf(name);
    side.emplace(words, outputs);
    Status status = runLibrary(model, options, library, outputs);
    folder.knowAllIn(outputs);
    return status == Status::ok ? side->findFiles(model) : status;
  }

  const Model &model;
  const Options &options;
  const DiffOptions &own;
  const ReferenceRun &run;
  reference::TemporaryFolder folder;
};

} // namespace

Status runDiff(MLIRContext *context, const Options &options, raw_ostream &os) {
  const DiffOptions &own = options.diff;
  if (options.import.path == "-")
    return reference::fail(Status::badUsage,
                           "weir diff reads the model twice: give a file");
  Model model;
  if (Status status = diff::readModel(context, options, model);
      status != Status::ok)
    return status;
  bool needsReference =
      own.against.empty() && own.library.empty() && !own.hasFlagsOfB;
  ReferenceRun run;
  if (Status status = diff::evaluate(model, options, !needsReference, run);
      status != Status::ok)
    return status;
  Sides sides(model, options, run);
  std::optional<Side> a, b;
  if (Status status = sides.createFolder(); status != Status::ok)
    return status;
  if (Status status = sides.makeA(a); status != Status::ok)
    return status;
  if (Status status = sides.makeB(b); status != Status::ok)
    return status;
  reference::Limits limits;
  Result result;
  if (Status status = reference::readLimits(options, limits);
      status != Status::ok)
    return status;
  if (Status status = judge(model, own, limits, *a, *b, run, result);
      status != Status::ok)
    return status;
  if (result.compared == 0)
    return reference::fail(Status::badInput,
                           "the sides have no tensor in common");
  Comparison comparison = {model, own, *a, *b, result};
  const Finding *origin = result.firstOrigin();
  std::optional<Bisection> bisection;
  if (!options.json)
    printText(comparison, os);
  // A bisection takes longer than the comparison, whose result is known.
  os.flush();
  if (origin && own.bisects)
    if (Status status = bisect(context, model, options, *origin, *a, *b, run,
                               bisection.emplace());
        status != Status::ok)
      return status;
  if (options.json)
    printJson(comparison, bisection, os);
  else if (bisection)
    printText(*bisection, os);
  if (origin && !own.reduced.empty())
    if (Status status = writeReduced(model, *origin, *a, *b, run, own.reduced);
        status != Status::ok)
      return status;
  return differs(result, own) ? Status::badInput : Status::ok;
}

} // namespace weir
