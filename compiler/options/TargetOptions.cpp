// Parses the options for the machine: its instruction set, its arithmetic, and
// the schedules of its kernels.

#include "compiler/OptionTable.h"

#include "compiler/SystemErrors.h"
#include "compiler/import/Dependencies.h"
#include "compiler/schedules/Schedules.h"
#include "compiler/target/FastMath.h"
#include "llvm/Support/MemoryBuffer.h"
#include <limits>

using namespace llvm;
using namespace llvm::opt;

namespace weir {
namespace {

void readIsaVariants(const InputArgList &args, StringRef command,
                     Options &options, Usage &usage) {
  const Arg *list = args.getLastArg(OPT_multiversion_EQ);
  if (!list)
    return;
  if (command != "compile" || args.hasArg(OPT_mcpu, OPT_mattr))
    usage.say() << "--multiversion goes with compile, and without -mcpu and "
                   "-mattr\n";
  std::string wrong;
  if (!parseIsaVariants(list->getValue(), options.isaVariants, wrong))
    usage.say() << "--multiversion: " << wrong << '\n';
  if (!StringRef(options.target.triple).empty() &&
      !StringRef(options.target.triple).starts_with("x86_64"))
    usage.say() << "--multiversion is for x86_64\n";
}

void readGpu(const InputArgList &args, Options &options, Usage &usage) {
  options.gpu.kind = args.getLastArgValue(OPT_gpu_EQ).str();
  SmallVector<StringRef> archs;
  args.getLastArgValue(OPT_gpu_arch_EQ)
      .split(archs, ',', -1, /*KeepEmpty=*/false);
  for (StringRef arch : archs)
    options.gpu.archs.push_back(arch.str());
  options.gpu.library = args.getLastArgValue(OPT_use_lib_EQ).str();
  options.gpu.places = args.getAllArgValues(OPT_place_EQ);
  if (!options.gpu.isOn() && args.hasArg(OPT_place_EQ))
    usage.say() << "--place goes with --gpu\n";
  if (options.gpu.kind != "cuda" && args.hasArg(OPT_use_lib_EQ))
    usage.say() << "--use-lib goes with --gpu=cuda\n";
  if (!options.gpu.isOn() && args.hasArg(OPT_gpu_arch_EQ))
    usage.say() << "--gpu-arch goes with --gpu\n";
  if (options.emit.product == Product::Ptx && options.gpu.kind != "cuda")
    usage.say() << "--emit=ptx goes with --gpu=cuda\n";
  if (options.gpu.isOn() && !options.isaVariants.empty())
    usage.say() << "--multiversion does not go with --gpu\n";
}

void readRemat(const InputArgList &args, Options &options, Usage &usage) {
  const Arg *limit = args.getLastArg(OPT_remat_EQ);
  if (!limit)
    return;
  options.arenaLimit = parseBytes(limit->getValue());
  if (!options.arenaLimit)
    usage.say() << "--remat=" << escaped(limit->getValue())
                << " is no number of bytes, as in 64M\n";
  if (!options.isaVariants.empty())
    usage.say() << "--remat does not go with --multiversion\n";
}

void readMemoryLimit(const InputArgList &args, Options &options, Usage &usage) {
  const Arg *limit = args.getLastArg(OPT_max_memory_EQ);
  if (!limit)
    return;
  options.memoryLimit = parseBytes(limit->getValue());
  if (!options.memoryLimit)
    usage.say() << "--max-memory=" << escaped(limit->getValue())
                << " is no number of bytes, as in 512M\n";
}

void readWeightsBudget(const InputArgList &args, Options &options,
                       Usage &usage) {
  const Arg *given = args.getLastArg(OPT_weights_budget_EQ);
  if (!given)
    return;
  options.hasWeightsBudget = true;
  StringRef text = given->getValue();
  double factor = 0;
  if (text == "none")
    options.weightsBudget = std::nullopt;
  else if (text.getAsDouble(factor) || !(factor >= 1) || factor > 1000)
    usage.say() << "--weights-budget: '" << escaped(text)
                << "' is neither a factor from 1 to 1000 nor none\n";
  else
    options.weightsBudget = factor;
  if (options.gpu.isOn())
    usage.say() << "--weights-budget does not go with --gpu\n";
}

void readThreads(StringRef text, ThreadOptions &threads, Usage &usage) {
  // How many the caller's are is not known: scratch for most machines' cores.
  if (text == "extern")
    threads = {1, 8};
  else if (text.getAsInteger(10, threads.count) || threads.count < 1 ||
           threads.count > 256)
    usage.say() << "--threads: '" << escaped(text)
                << "' is neither a number from 1 to 256 nor extern"
                << didYouMean(text, {"extern"}) << "\n";
  else
    threads.slots = threads.count;
}

} // namespace

std::optional<int64_t> parseBytes(StringRef text) {
  int64_t unit = text.consume_back("G")   ? int64_t(1) << 30
                 : text.consume_back("M") ? int64_t(1) << 20
                 : text.consume_back("K") ? int64_t(1) << 10
                                          : 1;
  int64_t bytes;
  if (text.getAsInteger(10, bytes) || bytes < 1 ||
      bytes > std::numeric_limits<int64_t>::max() / unit)
    return std::nullopt;
  return bytes * unit;
}

void readTarget(const InputArgList &args, StringRef command, Options &options,
                Usage &usage) {
  options.target.triple = args.getLastArgValue(OPT_target_EQ).str();
  options.target.cpu = args.getLastArgValue(OPT_mcpu, "native").str();
  options.target.features = args.getLastArgValue(OPT_mattr).str();
  readThreads(args.getLastArgValue(OPT_threads_EQ, "1"), options.threads,
              usage);
  readIsaVariants(args, command, options, usage);
  readGpu(args, options, usage);
  readRemat(args, options, usage);
  readMemoryLimit(args, options, usage);
  readWeightsBudget(args, options, usage);
  options.precision = args.getLastArgValue(OPT_precision_EQ, "f32").str();
  StringRef precisions[] = {"f32", "bf16x3", "tf32"};
  if (!is_contained(precisions, options.precision))
    usage.say() << "--precision: "
                << unknownValue(options.precision, precisions) << "\n";
  if (options.precision == "tf32" && !options.gpu.isOn())
    usage.say() << "--precision=tf32 goes with --gpu\n";
  if (std::string wrong = parseFastMath(
          args.getLastArgValue(OPT_fast_math_EQ, "none"), options.fastMath);
      !wrong.empty())
    usage.say() << "--fast-math: " << wrong << '\n';
}

std::unique_ptr<MemoryBuffer> readOptionFile(StringRef path, Status &status) {
  auto text = MemoryBuffer::getFile(path);
  if (text) {
    addDependency(path);
    return std::move(*text);
  }
  message("error", escaped(path))
      << "cannot open: " << text.getError().message() << "\n";
  status = systemStatus(text.getError());
  return nullptr;
}

Status readSchedules(mlir::MLIRContext *context, const InputArgList &args,
                     Options &options, Usage &usage) {
  const Arg *file = args.getLastArg(OPT_schedule_EQ);
  if (!file)
    return Status::ok;
  StringRef path = file->getValue();
  if (path.empty()) {
    usage.say() << "--schedule has an empty name\n";
    return Status::ok;
  }
  Status status = Status::ok;
  std::unique_ptr<MemoryBuffer> text = readOptionFile(path, status);
  if (!text)
    return status;
  auto schedules = parseSchedules(context, text->getBuffer());
  if (schedules)
    options.schedules = *schedules;
  else
    usage.say() << "--schedule=" << escaped(path) << ": "
                << toString(schedules.takeError()) << "\n";
  return Status::ok;
}

} // namespace weir
