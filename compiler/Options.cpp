// Parses the command line by Options.td.

#include "compiler/OptionTable.h"

#include "compiler/Pipeline.h"
#include "compiler/SystemErrors.h"
#include "compiler/import/Dependencies.h"
#include "compiler/import/Ops.h"
#include "compiler/import/tensorflow/file/Config.h"
#include "compiler/terminal/Colors.h"
#include "compiler/terminal/Version.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <limits>

using namespace llvm;
using namespace llvm::opt;

namespace weir {
namespace {

void readImport(mlir::MLIRContext *context, const InputArgList &args,
                ImportOptions &import, Usage &usage) {
  import.signature = args.getLastArgValue(OPT_signature_EQ).str();
  import.checkpoint = args.getLastArgValue(OPT_checkpoint_EQ).str();
  import.allSignatures = args.hasArg(OPT_all_signatures);
  if (const Arg *tags = args.getLastArg(OPT_tags_EQ)) {
    import.tags.clear();
    SmallVector<StringRef> list;
    StringRef(tags->getValue()).split(list, ',', -1, /*KeepEmpty=*/false);
    for (StringRef tag : list)
      import.tags.push_back(tag.str());
  }
  for (StringRef text : args.getAllArgValues(OPT_feed_EQ)) {
    if (std::optional<Feed> feed = parseFeed(context, text))
      import.feeds.push_back(*feed);
    else
      usage.say() << "--feed=" << escaped(text)
                  << " is not NAME[:DIMSxTYPE], as in x:1x4xf32\n";
  }
  import.fetches = args.getAllArgValues(OPT_fetch_EQ);
  import.targets = args.getAllArgValues(OPT_target_node_EQ);
  for (StringRef text : args.getAllArgValues(OPT_shape_EQ))
    if (!parseShape(text, import))
      usage.say() << "--shape=" << escaped(text)
                  << " is not NAME=DIMS, as in x=1x224x224x3, or "
                     "x=batch,3,?,224 where some are open\n";
  for (StringRef text : args.getAllArgValues(OPT_dim_EQ))
    if (!parseDim(text, import))
      usage.say() << "--dim=" << escaped(text)
                  << " is not NAME=LOW..HIGH, as in batch=1..64 or x.0=1..64, "
                     "or NAME=SIZE\n";
  readFunctions(args, import, usage);
  for (StringRef text : args.getAllArgValues(OPT_value_EQ))
    if (!parseValue(text, import))
      usage.say() << "--value=" << escaped(text)
                  << " is not INPUT=VALUE, as in rate=16000, sizes=1,2 or "
                     "table=@FILE.npy\n";
  for (StringRef text : args.getAllArgValues(OPT_specialize_EQ))
    if (import.specialization)
      usage.say()
          << "--specialize is given twice: one dimension has versions\n";
    else if (!parseSpecialization(text, import))
      usage.say() << "--specialize=" << escaped(text)
                  << " is not NAME:SIZE,..., as in batch:1,8\n";
}

Status readConfig(mlir::MLIRContext *context, const InputArgList &args,
                  Options &options, Usage &usage) {
  const Arg *file = args.getLastArg(OPT_config_EQ);
  if (!file)
    return Status::ok;
  if (args.hasArg(OPT_feed_EQ, OPT_fetch_EQ))
    usage.say() << "--config says what --feed and --fetch do\n";
  tensorflow::Config config;
  Status status = tensorflow::readConfig(context, file->getValue(), config);
  options.import.feeds = std::move(config.feeds);
  options.import.fetches = std::move(config.fetches);
  options.inputNames = std::move(config.inputNames);
  options.outputNames = std::move(config.outputNames);
  for (auto &[tensor, shape] : config.shapes)
    if (!options.import.shapes.try_emplace(tensor, GivenShape(shape)).second)
      usage.say() << "--shape and --config say the shape of '"
                  << escaped(tensor) << "'\n";
  return status;
}

/// What --bound gives is also what one tensor may take of the arena.
constexpr int64_t largestBound = int64_t(1) << 30;

void readBound(const InputArgList &args, ImportOptions &import, Usage &usage) {
  const Arg *bound = args.getLastArg(OPT_bound_EQ);
  if (!bound)
    return;
  StringRef text = bound->getValue();
  if (text.getAsInteger(10, import.boundedElements) ||
      import.boundedElements < 1 || import.boundedElements > largestBound)
    usage.say() << "--bound=" << escaped(text)
                << " is no number of elements from 1 to " << largestBound
                << '\n';
}

/// The stage whose program becomes an ONNX model. Later ones have no graph that
/// ONNX can express.
void readOnnx(const InputArgList &args, Options &options, Usage &usage) {
  StringRef last = args.getLastArgValue(OPT_stop_after_EQ, stage::graph);
  StringRef known[] = {stage::import, stage::train, stage::graph, stage::grad};
  if (!is_contained(known, last)) {
    usage.say() << "--stop-after with an ONNX model: "
                << unknownValue(last, known) << "\n";
    last = stage::graph;
  }
  options.toOnnx = true;
  options.stopAfter = last.str();
}

bool isOnnxPath(StringRef path) {
  return path.ends_with(".onnx") || path.ends_with(".onnx.txt");
}

/// The kind of product, or the stage whose IR is wanted.
void readProduct(const InputArgList &args, Options &options, Usage &usage) {
  EmitOptions &emit = options.emit;
  if (const Arg *kind = args.getLastArg(OPT_emit_EQ)) {
    StringRef word = kind->getValue();
    SmallVector<StringRef> words = productWords();
    // The two forms of the IR that have a stage's name, and a model.
    words.append({stage::graph, stage::plan, "onnx"});
    if (word == "onnx")
      return readOnnx(args, options, usage);
    if (word == stage::graph || word == stage::plan)
      options.stopAfter = word.str();
    else if (std::optional<Product> product = productOfWord(word))
      emit.product = *product;
    else
      usage.say() << "--emit: " << unknownValue(word, words) << "\n";
    if (args.hasArg(OPT_stop_after_EQ))
      usage.say() << "--emit does not go with --stop-after\n";
  } else if (isOnnxPath(emit.output) &&
             !args.hasArg(OPT_kernel_EQ, OPT_print_ir_after_EQ)) {
    readOnnx(args, options, usage);
  } else if (args.hasArg(OPT_stop_after_EQ)) {
    options.stopAfter = args.getLastArgValue(OPT_stop_after_EQ).str();
  } else if (args.hasArg(OPT_kernel_EQ, OPT_print_ir_after_EQ)) {
    emit.product = Product::Asm;
  } else if (emit.output == "-") {
    usage.say() << "-o - is for text: --emit or --stop-after says which\n";
    return;
  } else if (std::optional<Product> product = productOfPath(emit.output)) {
    emit.product = *product;
  } else if (!emit.output.empty()) {
    usage.say()
        << "'" << escaped(emit.output)
        << "' does not say what it is to be; known endings are "
        << productEndings()
        << ", .onnx, an executable has none, and --emit takes any name\n";
  }
  if (emit.output == "-" && options.stopAfter.empty() && !isText(emit.product))
    usage.say() << "-o - is for text, which no library, object or executable "
                   "is\n";
}

void readEmit(const InputArgList &args, StringRef command, Options &options,
              Usage &usage) {
  EmitOptions &emit = options.emit;
  if (const Arg *path = args.getLastArg(OPT_o, OPT_output_EQ))
    emit.output = path->getValue();
  emit.header = args.getLastArgValue(OPT_header_EQ).str();
  emit.prefix = args.getLastArgValue(OPT_prefix_EQ).str();
  emit.cppClass = args.getLastArgValue(OPT_cpp_class_EQ).str();
  if (args.hasArg(OPT_cpp_class_EQ) && !args.hasArg(OPT_header_EQ))
    usage.say() << "--cpp-class goes with --header\n";
  StringRef weights = args.getLastArgValue(OPT_weights_EQ, "embed");
  StringRef places[] = {"embed", "file"};
  if (!is_contained(places, weights))
    usage.say() << "--weights: " << unknownValue(weights, places) << "\n";
  emit.weightsFile = weights == "file";
  if (emit.weightsFile && emit.output == "-")
    usage.say() << "--weights=file goes beside a file\n";
  StringRef level = args.getLastArgValue(OPT_O, "2");
  if (level.getAsInteger(10, emit.optLevel) || emit.optLevel > 3)
    usage.say() << "-O takes 0 to 3, not '" << escaped(level) << "'\n";
  // The output of partition is a folder of libraries.
  if (command == "partition")
    options.stopAfter = args.getLastArgValue(OPT_stop_after_EQ).str();
  else
    readProduct(args, options, usage);
}

/// Nothing that is written may take the place of what is read.
void checkWritten(const InputArgList &args, const Options &options,
                  Usage &usage) {
  StringRef model = options.import.path;
  std::vector<std::string> read = args.getAllArgValues(OPT_config_EQ);
  if (!options.report.profilePath.empty())
    read.push_back(options.report.profilePath);
  for (const auto *files :
       {&options.import.opFiles, &options.emit.customObjects})
    read.insert(read.end(), files->begin(), files->end());
  if (!options.import.checkpoint.empty())
    read.push_back(options.import.checkpoint + ".index");
  if (model != "-") {
    read.push_back(model.str());
    for (const char *name : {"saved_model.pb", "saved_model.pbtxt"})
      if (sys::fs::is_directory(model))
        read.push_back((model + "/" + name).str());
  }
  std::string wrong = samePlaces(options.emit, options.report.path,
                                 options.depfile, options.timeTrace, read);
  if (!wrong.empty())
    usage.say() << wrong << '\n';
}

/// What is absent is a model, whose frontend says so.
ErrorOr<InputKind> kindOf(StringRef path) {
  // What comes through a pipe can be read once. Only ELF files and archives
  // count: other formats begin as JSON or as the index of a checkpoint does.
  file_magic magic;
  sys::fs::file_status status;
  std::error_code code = sys::fs::status(path, status);
  if (!code && is_regular_file(status))
    code = identify_magic(path, magic);
  if (code && !isAbsent(code))
    return code;
  if (!code && is_regular_file(status) &&
      llvm::is_contained({file_magic::elf, file_magic::elf_relocatable,
                          file_magic::elf_executable,
                          file_magic::elf_shared_object, file_magic::elf_core,
                          file_magic::archive},
                         magic))
    return InputKind::Library;
  return path.ends_with(".mlir") || path.ends_with(".mlirbc")
             ? InputKind::Module
             : InputKind::Model;
}

} // namespace

static void printOps(bool json) {
  json::Object all;
  for (const FrontendOps &frontend : listOps()) {
    if (json)
      all[frontend.name] = json::Array(frontend.ops);
    else
      for (const std::string &op : frontend.ops)
        outs() << frontend.name << ' ' << op << '\n';
  }
  if (json)
    outs() << formatv("{0:2}", json::Value(std::move(all))) << '\n';
}

std::optional<Options> parseOptions(mlir::MLIRContext *context,
                                    StringRef command,
                                    ArrayRef<const char *> arguments,
                                    Status &done) {
  OptionTable table;
  unsigned missing = 0, missingCount = 0;
  InputArgList args = table.ParseArgs(arguments, missing, missingCount);
  if (args.hasArg(OPT_help, OPT_help_all, OPT_version)) {
    if (args.hasArg(OPT_help, OPT_help_all))
      printHelp(table, command, args.hasArg(OPT_help_all));
    else
      printBuild(outs());
    done = Status::ok;
    return std::nullopt;
  }
  if (args.getLastArgValue(OPT_mcpu) == "help") {
    done = Status::ok;
    if (Error error =
            printProcessors(args.getLastArgValue(OPT_target_EQ), outs())) {
      message("error") << toString(std::move(error)) << "\n";
      done = Status::badUsage;
    }
    return std::nullopt;
  }
  done = Status::badUsage;
  Usage usage;
  if (missingCount)
    usage.say() << args.getArgString(missing) << " wants a value\n";
  checkNames(table, args, usage);

  Options options;
  std::vector<std::string> inputs = args.getAllArgValues(OPT_INPUT);
  if (args.hasArg(OPT_list_ops) && inputs.empty() && command == "inspect" &&
      !usage.wrong) {
    printOps(args.hasArg(OPT_json));
    done = Status::ok;
    return std::nullopt;
  }
  if (args.hasArg(OPT_list_ops) && command == "inspect")
    usage.say() << "--list-ops is for inspect, without a model\n";
  readReference(args, options.reference, usage);
  readDiff(table, args, options.diff, usage);
  if (options.reference.listsOps && command == "reference" && inputs.empty() &&
      !usage.wrong) {
    done = Status::ok;
    return options;
  }
  if (options.reference.listsOps && command == "reference")
    usage.say() << "--coverage is without a model\n";
  if (inputs.size() == 1) {
    options.import.path = inputs.front();
    ErrorOr<InputKind> kind = kindOf(inputs.front());
    if (!kind) {
      message("error", escaped(inputs.front()))
          << "cannot open: " << kind.getError().message() << "\n";
      done = systemStatus(kind.getError());
      return std::nullopt;
    }
    options.input = *kind;
  } else {
    usage.say() << (inputs.empty() ? "no model given"
                                   : "more than one model given")
                << "; see weir " << command << " --help\n";
  }
  options.import.command = ("weir " + command).str();
  for (StringRef argument : arguments)
    options.import.command += " " + asArgument(argument);
  readImport(context, args, options.import, usage);
  Status configured = readConfig(context, args, options, usage);
  Status scheduled = readSchedules(context, args, options, usage);
  readBound(args, options.import, usage);
  readTraining(context, args, options, usage);
  readEmit(args, command, options, usage);
  readOps(context, args, options, usage);
  readTarget(args, command, options, usage);
  readInstruments(args, options, usage);
  Status reported = readReport(args, options.report, usage);
  readDepfile(args, options, usage);
  readProgress(args, options.progress, usage);
  readDump(args, options, usage);
  options.report.model = options.import.path;
  options.profile = args.hasArg(OPT_profile);
  if (options.profile && options.gpu.kind == "sim")
    usage.say() << "--profile does not go with --gpu=sim: the simulator has no "
                   "times of a GPU\n";
  readMesh(args, options, usage);
  options.import.readsConfigurations &= command == "compile";
  Status clustered = readCluster(args, command, options, usage);
  options.timing = args.hasArg(OPT_timing);
  readInspect(args, options, usage);
  options.trustsBytecode = args.hasArg(OPT_trust_bytecode);
  Machine machine = options.gpu.isOn() ? Machine::Gpu : Machine::Cpu;
  if (!options.stopAfter.empty() && !isStage(options.stopAfter, machine))
    usage.say() << "--stop-after: "
                << unknownValue(options.stopAfter, stageNames(machine)) << "\n";
  if (command == "compile" && options.stopAfter.empty() &&
      !options.dump.isOn() && options.emit.output.empty())
    usage.say() << "no output given: -o PATH\n";
  if (command == "partition" && options.stopAfter.empty() &&
      options.emit.output.empty())
    usage.say() << "no output given: -o DIR\n";
  checkUses(args, command, options, usage);
  checkWritten(args, options, usage);
  if (usage.wrong)
    return std::nullopt;
  done = configured == Status::ok ? scheduled : configured;
  for (Status status : {reported, clustered})
    if (done == Status::ok)
      done = status;
  if (done != Status::ok)
    return std::nullopt;
  return options;
}

} // namespace weir
