// The help of a command: options in groups, wrapped to the terminal.

#include "compiler/OptionTable.h"

#include "llvm/Support/Process.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {
namespace {

constexpr unsigned usualColumns = 80, minColumns = 40, maxColumns = 120;
// Where an option's text begins.
constexpr unsigned indent = 28;

unsigned columns() {
  unsigned found = sys::Process::StandardOutColumns();
  return found ? std::clamp(found, minColumns, maxColumns) : usualColumns;
}

/// Prints words from the column `indent` on, in lines that end before `width`.
void wrap(raw_ostream &os, StringRef text, unsigned width) {
  bool isFirst = true;
  unsigned at = indent;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (!isFirst && at + 1 + word.size() > width) {
      os << '\n';
      os.indent(indent);
      at = indent;
    } else if (!isFirst) {
      os << ' ';
      ++at;
    }
    os << word;
    at += word.size();
    isFirst = false;
    text = rest;
  }
  os << '\n';
}

/// `--name=META`, as it is written.
std::string spelling(const OptionTable &table, const Option &option) {
  std::string name = option.getPrefixedName().str();
  if (const char *meta = table.getOptionMetaVar(option.getID()))
    name += (StringRef(name).ends_with("=") ? "" : " ") + std::string(meta);
  return name;
}

struct Group {
  StringRef title;
  SmallVector<Option> options = {};
};

/// The groups in the order of the help; the table has them by name.
constexpr StringLiteral titles[] = {
    "Input",   "Shapes",   "Functions and operators",
    "Values",  "Sides",    "Tolerances",
    "Output",  "Target",   "Threads and memory",
    "Ranks",   "Training", "GPU",
    "Reports", "Debug",    "Help"};

/// The groups that have an option of the command.
SmallVector<Group> groupsOf(const OptionTable &table, OptionUse use,
                            bool isWhole) {
  SmallVector<Group> groups;
  DenseMap<unsigned, size_t> known;
  for (StringRef title : titles)
    groups.push_back({title});
  for (unsigned id = 1; id <= table.getNumOptions(); ++id)
    if (table.getOption(id).getKind() == Option::GroupClass)
      known[id] = llvm::find(titles, StringRef(table.getOptionHelpText(id))) -
                  std::begin(titles);
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    Option option = table.getOption(id);
    unsigned group = table.getOptionGroupID(id);
    if (group && table.getOptionHelpText(id) && option.hasVisibilityFlag(use) &&
        (isWhole || !option.hasFlag(HelpHidden)))
      groups[known[group]].options.push_back(option);
  }
  llvm::erase_if(groups, [](const Group &g) { return g.options.empty(); });
  return groups;
}

constexpr StringLiteral usageOfCompile =
    R"(weir compile: compile a saved model to a native library

Usage: weir compile [options] MODEL -o PATH

MODEL is a directory of a SavedModel, a TensorFlow graph (.pb, .pbtxt), an ONNX
model (.onnx) or - for standard input; weir looks at the content. A file whose
name ends in .mlir or .mlirbc is IR. @FILE stands for the options in FILE.
)";

constexpr StringLiteral examplesOfCompile = R"(
Examples:
  weir compile net.onnx -o libnet.so --header=net.h
  weir compile saved_model/ -o libnet.a --threads=4
  weir compile frozen.pb -o net.so --feed=x:1x224x224x3xf32 --fetch=logits
  weir compile bert.onnx -o bert.so --dim=batch=1..8 --dim=sequence=1..512
  weir compile net.onnx -o net --emit=exe -mcpu=x86-64-v3
  weir compile net.pb -o train.so --loss=mean_squared_error:y --optimizer=Adam
)";

constexpr StringLiteral usageOfPartition =
    R"(weir partition: compile a model to a library for each task of a cluster

Usage: weir partition [options] MODEL --cluster=FILE -o DIR

MODEL is a TensorFlow graph (.pb, .pbtxt) or a directory of a SavedModel, whose
nodes have devices such as /job:worker/task:0. FILE is TensorFlow's ClusterSpec
in JSON, or a TF_CONFIG. weir writes DIR/JOB-TASK.so for each task, hostfile,
manifest.json, and run.sh, which starts all tasks by mpirun.
)";

constexpr StringLiteral examplesOfPartition = R"(
Examples:
  weir partition net.pb --cluster=cluster.json -o dist
  weir partition net.pb --cluster=cluster.json --stop-after=shard
  dist/run.sh --input=x=@x.npy
)";

constexpr StringLiteral usageOfInspect =
    R"(weir inspect: describe a model, a library or IR

Usage: weir inspect [options] MODEL|MODULE|LIBRARY

MODEL is a directory of a SavedModel, a TensorFlow graph (.pb, .pbtxt), an ONNX
model (.onnx) or - for standard input; weir looks at the content. MODULE is a
file of IR whose name ends in .mlir or .mlirbc. LIBRARY is a shared library that
weir compiled; inspect loads it. For a model that weir cannot compile inspect
prints the problems, with status 0.
)";

constexpr StringLiteral examplesOfInspect = R"(
Examples:
  weir inspect net.onnx
  weir inspect --json libnet.so
  weir inspect --nodes frozen.pb
  weir inspect --list-ops
)";

constexpr StringLiteral usageOfReference =
    R"(weir reference: evaluate a model in f64, without compiling it

Usage: weir reference [options] MODEL

MODEL is a directory of a SavedModel, a TensorFlow graph (.pb, .pbtxt), an ONNX
model (.onnx) or - for standard input; weir looks at the content. A file whose
name ends in .mlir or .mlirbc is IR. weir imports the model and evaluates each
op of the graph dialect in double precision, without any pass. The results show
which of two libraries is wrong, and by how much.
)";

constexpr StringLiteral examplesOfReference = R"(
Examples:
  weir reference net.onnx --input=x=@x.npy --output-dir=expected
  weir reference net.onnx --input-dir=inputs --output-dir=expected --f64
  weir reference frozen.pb --feed=x:1x224x224x3xf32 --fetch=logits --random=1
  weir reference --coverage
)";

constexpr StringLiteral usageOfDiff =
    R"(weir diff: compare a compiled model node by node

Usage: weir diff [options] MODEL

MODEL is a directory of a SavedModel, a TensorFlow graph (.pb, .pbtxt), an ONNX
model (.onnx) or a file of IR (.mlir). Side A is a library of MODEL that returns
the results of all nodes. Side B is the f64 reference, another library, or a
folder of .npy files. weir diff lists the nodes that differ. It tells a node
that is wrong from nodes whose operands are wrong. It exits with 1 if one is.
)";

constexpr StringLiteral examplesOfDiff = R"(
Examples:
  weir diff net.onnx --random=1
  weir diff net.onnx --input=x=@x.npy --against=tensorflow
  weir diff net.onnx --random=1 --b=--threads=4 --ulp=0
  weir diff net.onnx --random=1 --reduce=node.mlir
)";

/// What the help of a command has before and after the options.
struct Texts {
  OptionUse use;
  StringRef before, after;
};

Texts textsOf(StringRef command) {
  OptionUse use = useOf(command);
  switch (use) {
  case ForPartition:
    return {use, usageOfPartition, examplesOfPartition};
  case ForInspect:
    return {use, usageOfInspect, examplesOfInspect};
  case ForReference:
    return {use, usageOfReference, examplesOfReference};
  case ForDiff:
    return {use, usageOfDiff, examplesOfDiff};
  default:
    return {use, usageOfCompile, examplesOfCompile};
  }
}

} // namespace

void printHelp(const OptionTable &table, StringRef command, bool isWhole) {
  Texts texts = textsOf(command);
  raw_ostream &os = outs();
  unsigned width = columns();
  os << texts.before;
  for (const Group &group : groupsOf(table, texts.use, isWhole)) {
    os << '\n' << group.title << ":\n";
    for (const Option &option : group.options) {
      std::string name = spelling(table, option);
      os << "  " << name;
      unsigned at = 2 + name.size();
      if (at + 2 > indent)
        os << '\n';
      os.indent(at + 2 > indent ? indent : indent - at);
      wrap(os, table.getOptionHelpText(option.getID()), width);
    }
  }
  os << texts.after;
  if (!isWhole)
    os << "\nweir " << command << " --help-all prints all options.\n";
}

} // namespace weir
