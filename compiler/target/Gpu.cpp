// From options to the module attribute `weir.gpu`.

#include "compiler/target/Gpu.h"

#include "compiler/Diagnostics.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/NamePattern.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {

// What LLVM and all versions of CUDA in use make code for. Later GPUs run the
// PTX of the oldest, but for the last one's, which no other GPU runs.
static constexpr StringLiteral known[] = {"sm_80", "sm_86", "sm_87",
                                          "sm_89", "sm_90", "sm_90a"};

// Libraries that --use-lib takes, alone or with commas between them.
static constexpr StringLiteral libraries[] = {"cublaslt", "cudnn"};

/// What is wrong with a value of --use-lib; empty where nothing is.
static std::string checkLibrary(StringRef value) {
  if (value.empty() || value == "none" || value == "auto")
    return "";
  SmallVector<StringRef> names, all(std::begin(libraries), std::end(libraries));
  all.append({"none", "auto"});
  value.split(names, ',');
  for (StringRef name : names)
    if (!is_contained(libraries, name))
      return is_contained(all, name) ? "'" + name.str() + "' goes alone"
                                     : unknownValue(name, all);
  return "";
}

Error writeGpu(mlir::ModuleOp module, const GpuOptions &options) {
  auto bad = [](const Twine &message) {
    return createStringError(llvm::inconvertibleErrorCode(), message);
  };
  if (options.kind != "cuda" && options.kind != "sim")
    return bad("--gpu: " +
               unknownValue(options.kind, ArrayRef<StringRef>{"cuda", "sim"}));
  if (std::string wrong = checkLibrary(options.library); !wrong.empty())
    return bad("--use-lib: " + wrong);
  for (const std::string &arch : options.archs)
    if (!is_contained(known, arch))
      return bad("--gpu-arch: " + unknownValue(arch, known));
  if (is_contained(options.archs, "sm_90a") &&
      any_of(options.archs, [](StringRef arch) { return arch != "sm_90a"; }))
    return bad("--gpu-arch takes sm_90a alone: kernels for it are launched "
               "otherwise than those for other GPUs, which do not run them");
  for (StringRef rule : options.places) {
    auto [names, place] = rule.rsplit(':');
    StringRef devices[] = {"cpu", "gpu"};
    if (!rule.contains(':'))
      return bad("--place is REGEX:cpu or REGEX:gpu, not '" + rule + "'");
    if (!is_contained(devices, place))
      return bad("--place: " + unknownValue(place, devices));
    if (std::string why = NamePattern::fault(names); !why.empty())
      return bad("--place: '" + names + "' is no regular expression: " + why);
  }
  if (options.kind == "sim" &&
      !TargetAttr::of(module).getTriple().starts_with("x86_64"))
    return bad("--gpu=sim runs on x86_64");
  mlir::Builder b(module.getContext());
  SmallVector<mlir::Attribute> archs;
  for (StringRef arch : known)
    if (is_contained(options.archs, arch))
      archs.push_back(b.getStringAttr(arch));
  // Machine code is only made for architectures that are named.
  bool hasCubins = !archs.empty();
  if (!hasCubins)
    archs.push_back(b.getStringAttr(known[0]));
  StringRef library = options.library;
  if (library == "none")
    library = "";
  SmallVector<StringRef> places(options.places.begin(), options.places.end());
  attrs::gpu.set(module, GpuAttr::get(module.getContext(), options.kind,
                                      b.getArrayAttr(archs), hasCubins, library,
                                      b.getStrArrayAttr(places)));
  return Error::success();
}

} // namespace weir
