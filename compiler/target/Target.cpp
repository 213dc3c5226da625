// What to compile for: from options to the module attribute `weir.target`.

#include "compiler/target/Target.h"

#include "compiler/Diagnostics.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/Weir.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <unistd.h>

using namespace llvm;

namespace weir {
namespace {

Error bad(const Twine &message) {
  return createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The features of this machine, by its feature bits. Its name is of no use:
/// LLVM takes it from a table of models and calls new ones by old names.
StringMap<bool> hostFeatures() {
  StringMap<bool> features;
  for (auto &feature : sys::getHostCPUFeatures())
    // avx10 would change the meaning of the avx512 bits that are there.
    if (feature.second && !feature.first().starts_with("avx10"))
      features[feature.first()] = true;
  return features;
}

/// The highest generic level whose features are all there.
StringRef hostIsa(const StringMap<bool> &has) {
  auto all = [&](ArrayRef<StringRef> names) {
    return all_of(names, [&](StringRef name) { return has.contains(name); });
  };
  if (!all({"sse4.2", "ssse3", "popcnt", "cx16", "sahf"}))
    return "x86-64";
  if (!all({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}))
    return "x86-64-v2";
  if (!all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return "x86-64-v3";
  return "x86-64-v4";
}

Error checkFeatures(const MCSubtargetInfo &info, StringRef features) {
  SmallVector<StringRef> parts;
  features.split(parts, ',', -1, /*KeepEmpty=*/false);
  SmallVector<StringRef> known;
  for (const SubtargetFeatureKV &feature : info.getAllProcessorFeatures())
    known.push_back(feature.Key);
  for (StringRef part : parts) {
    StringRef name = part;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return bad("feature '" + part + "' must begin with + or -");
    if (!llvm::is_contained(known, name))
      return bad("-mattr: unknown processor feature '" + name + "'" +
                 didYouMean(name, known));
  }
  return Error::success();
}

/// The values of -mcpu.
SmallVector<StringRef> processors(const MCSubtargetInfo &info) {
  SmallVector<StringRef> names = {"native"};
  for (const SubtargetSubTypeKV &processor : info.getAllProcessorDescriptions())
    names.push_back(processor.Key);
  return names;
}

bool on(const MCSubtargetInfo &info, StringRef feature) {
  return info.checkFeatures(("+" + feature).str());
}

int64_t cacheBytes(int name, int64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

/// Every feature that is on by the processor and by the string, spelled out,
/// so that no later stage has to know what a processor's name stands for.
std::string spellFeatures(const MCSubtargetInfo &info) {
  std::string text;
  for (const SubtargetFeatureKV &feature : info.getAllProcessorFeatures()) {
    StringRef name = feature.Key;
    // Tuning flags ride on the processor's name; modes are not features.
    if (!info.getFeatureBits().test(feature.Value) ||
        name.starts_with("tuning-") || name.starts_with("prefer-") ||
        name.starts_with("fast-") || name.starts_with("slow-") ||
        name.starts_with("false-deps") || name == "64bit-mode" ||
        name.ends_with("-fusion") || name == "macrofusion")
      continue;
    text += (text.empty() ? "+" : ",+") + name.str();
  }
  return text;
}

} // namespace

bool beginsTwoWideProducts(const MCSubtargetInfo &processor) {
  // Intel's servers do, as AMD's from the generation on that has vp2intersect;
  // sse4a is AMD's alone.
  return processor.getTargetTriple().isX86() && on(processor, "avx512f") &&
         (!on(processor, "sse4a") || on(processor, "avx512vp2intersect"));
}

// AMD's cores add in pipes of their own.
static bool addsBesideProducts(const MCSubtargetInfo &processor) {
  return processor.getTargetTriple().isX86() && on(processor, "avx512f") &&
         on(processor, "sse4a");
}

static void initialize() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
}

Error writeTarget(mlir::ModuleOp module, const TargetOptions &options) {
  initialize();
  Triple host(sys::getDefaultTargetTriple());
  Triple triple(options.triple.empty()
                    ? (host.isOSLinux() ? host.getArchName().str() : "x86_64")
                    : Triple::normalize(options.triple));
  if (triple.getVendor() == Triple::UnknownVendor)
    triple.setVendorName("unknown");
  if (triple.getOS() == Triple::UnknownOS)
    triple.setOSName("linux");
  if (triple.getEnvironment() == Triple::UnknownEnvironment)
    triple.setEnvironmentName("gnu");
  bool x86 = triple.getArch() == Triple::x86_64;
  if (!x86 && triple.getArch() != Triple::aarch64)
    return bad("target '" + options.triple +
               "' is not supported: x86_64 and aarch64 Linux are");
  if (!triple.isOSLinux())
    return bad("target '" + options.triple + "' is not supported: Linux is");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple.str(), error);
  if (!target)
    return bad(error);

  bool native = options.cpu == "native";
  if (native && triple.getArch() != host.getArch())
    native = false;
  std::string cpu = options.cpu, features;
  if (native) {
    StringMap<bool> has = hostFeatures();
    cpu = x86 ? hostIsa(has).str() : "generic";
    SmallVector<StringRef> names;
    for (auto &feature : has)
      names.push_back(feature.first());
    sort(names);
    for (StringRef name : names)
      features += (features.empty() ? "+" : ",+") + name.str();
  } else if (cpu == "native" || cpu.empty()) {
    cpu = x86 ? "x86-64-v2" : "generic";
  }
  std::unique_ptr<MCSubtargetInfo> plain(
      target->createMCSubtargetInfo(triple.str(), "", ""));
  if (!plain->isCPUStringValid(cpu))
    return bad("-mcpu: unknown processor '" + cpu + "' for " + triple.str() +
               " (-mcpu=help lists all)" + didYouMean(cpu, processors(*plain)));
  if (Error error = checkFeatures(*plain, options.features))
    return error;
  if (!options.features.empty())
    features += (features.empty() ? "" : ",") + options.features;
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple.str(), cpu, features));

  int64_t vectorBits = 128;
  if (x86 && on(*info, "avx512f"))
    vectorBits = 512;
  else if (x86 && on(*info, "avx"))
    vectorBits = 256;
  bool fma = x86 ? on(*info, "fma") : true;
  // Halves of these vectors go two a cycle everywhere, but what uses the rate
  // is not tuned so.
  bool two = beginsTwoWideProducts(*info);
  // A named processor must give the same code on every host.
  int64_t l1 = native ? cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) : 32 << 10;
  // All with tiles have an L2 of 2 MiB.
  int64_t l2 = x86 && on(*info, "amx-tile") ? 2 << 20 : 1 << 20;
  if (native)
    l2 = cacheBytes(_SC_LEVEL2_CACHE_SIZE, l2);

  // A context that has parsed no attribute of the dialect has not loaded it.
  module.getContext()->loadDialect<WeirDialect>();
  attrs::target.set(
      module, TargetAttr::get(module.getContext(), triple.str(), cpu,
                              spellFeatures(*info), vectorBits,
                              options.panelBits, /*vector_registers=*/0, l1, l2,
                              fma, two ? 2 : 1, addsBesideProducts(*info)));
  return Error::success();
}

Error printProcessors(StringRef name, raw_ostream &os) {
  initialize();
  Triple triple(name.empty() ? sys::getDefaultTargetTriple() : name.str());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple.str(), error);
  if (!target)
    return bad("target '" + name.str() + "' is not supported");
  std::unique_ptr<MCSubtargetInfo> plain(
      target->createMCSubtargetInfo(triple.str(), "", ""));
  for (StringRef processor : processors(*plain))
    os << processor << '\n';
  return Error::success();
}

} // namespace weir
