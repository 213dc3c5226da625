// The command line of `weir`, parsed.

#ifndef WEIR_COMPILER_OPTIONS_H
#define WEIR_COMPILER_OPTIONS_H

#include "compiler/dump/DumpOptions.h"
#include "compiler/emit/Emit.h"
#include "compiler/import/Import.h"
#include "compiler/options/ShardRules.h"
#include "compiler/partition/Cluster.h"
#include "compiler/report/Decisions.h"
#include "compiler/target/Gpu.h"
#include "compiler/target/IsaVariant.h"
#include "compiler/target/Target.h"
#include "compiler/terminal/Progress.h"

namespace weir {

/// Who shares the work of a run.
struct ThreadOptions {
  /// What a context uses unless it is told.
  int64_t count = 1;
  /// For how many parts of one kernel at a time the arena has scratch memory.
  int64_t slots = 1;
};

/// What the named file is, as far as its name and its first bytes say: IR, an
/// object of the system's, or else a model.
enum class InputKind { Model, Module, Library };

/// The values that `weir reference` reads and writes, as they are written.
struct ReferenceOptions {
  /// Empty: the default function.
  std::string function;
  /// `NAME=VALUE`.
  std::vector<std::string> inputs;
  /// Folders of .npy files, or empty.
  std::string inputDir, outputDir, nodeDir;
  /// The seed of random inputs, a number, or empty.
  std::string random;
  /// The limit of steps, or empty.
  std::string maxSteps;
  /// The runs with random rounding errors; 0 for none.
  uint64_t errorRuns = 0;
  bool writesF64 = false;
  /// Lists the ops of the dialect instead, without a model.
  bool listsOps = false;
};

/// The sides of `weir diff`, its tolerances and what it writes.
struct DiffOptions {
  /// Options of `weir compile` for each side, as they are written.
  std::string flagsOfA, flagsOfB;
  /// What side B is, besides `flagsOfB`: a folder of .npy files, or a library.
  /// All are empty for the reference.
  std::string against, library;
  /// The tensors to compare, as `--keep` of `weir compile` has them.
  std::string keep = ".*";
  /// The tolerances; none of them for a bound by operation.
  std::optional<uint64_t> ulp;
  std::optional<double> relative, absolute;
  /// The file for the first node that differs, or empty.
  std::string reduced;
  bool stopsAtFirst = false;
  /// Whether to look for the kernel and the pass of the first wrong node.
  bool bisects = false;
  /// The options of the model, for `weir compile`.
  std::vector<std::string> ofModel;

  bool hasFlagsOfB = false;
  bool hasTolerance() const { return ulp || relative || absolute; }
};

struct Options {
  ImportOptions import;
  InputKind input = InputKind::Model;
  /// What tensors of the model are to be called: `x:0` and a name.
  std::vector<std::pair<std::string, std::string>> inputNames, outputNames;
  /// Whether IR may be in MLIR's binary form.
  bool trustsBytecode = false;
  /// The attribute `weir.training`; null where nothing is trained.
  mlir::DictionaryAttr training;
  TargetOptions target;
  GpuOptions gpu;
  EmitOptions emit;
  ThreadOptions threads;
  /// Kinds of processors to make code for, the best first; empty: the target.
  std::vector<IsaVariant> isaVariants;
  /// What products of f32 that are made of others keep: "f32" or "bf16x3".
  std::string precision = "f32";
  /// MLIR's flags for arithmetic of floats, with commas; empty: none.
  std::string fastMath;
  /// The most bytes that the arena may have; none: as many as it takes.
  std::optional<int64_t> arenaLimit;
  /// The most bytes of weights in the product, as a multiple of the model's
  /// own; none: as many as the fastest kernels read.
  std::optional<double> weightsBudget = 1.25;
  /// Whether --weights-budget is given, which then replaces that of IR.
  bool hasWeightsBudget = false;
  /// The last stage to run; all of them where empty.
  std::string stopAfter;
  /// Whether the program after that stage is written as an ONNX model.
  bool toOnnx = false;
  /// What a file of IR says that it is for, which is to have no weights; empty:
  /// it is what was asked for.
  std::string reproducer;
  /// The most memory that the compiler may take; none: as `limitMemory` says.
  std::optional<uint64_t> memoryLimit;
  /// Parameters of schedules that are fixed; null for none.
  mlir::ArrayAttr schedules;
  ReferenceOptions reference;
  DiffOptions diff;
  ReportOptions report;
  ProgressOptions progress;
  DumpOptions dump;
  /// The number of runs of optional passes; none: all of them run.
  std::optional<uint64_t> passLimit;
  /// Where the trace of the compiler goes; empty: none is recorded.
  std::string timeTrace;
  /// The depfile, and the targets of its rule; empty: none is written.
  std::string depfile;
  std::vector<std::string> depTargets;
  /// Whether kernels check their indices.
  bool checksBounds = false;
  /// The axes of the mesh of ranks, and their sizes; empty: one rank.
  std::vector<std::pair<std::string, int64_t>> mesh;
  std::vector<ShardRule> shardRules;
  std::string reshard;      // as the attribute weir.reshard has it
  std::string shardState;   // the axis of --shard-state
  std::string parallel;     // the axis of --parallel=attention
  int64_t microBatches = 0; // of the batch of all ranks; 0: one for each rank
  /// The bytes from which on a bucket of gradients is full; none: the default.
  std::optional<int64_t> bucketBytes;
  /// The tasks of weir partition; empty for any other command.
  Cluster cluster;
  /// Whether the library counts the time of its tasks.
  bool profile = false;
  bool timing = false;
  bool json = false;
  bool nodes = false;
  bool tensors = false;
  bool plan = false;
  bool dot = false;
  /// The folder for graphs in event files; empty: none are written.
  std::string tensorboard;
};

/// Parses what follows the command's name. Prints what is wrong, or the help
/// that was asked for, and gives the exit status in `done` where there is
/// nothing left to do.
std::optional<Options> parseOptions(mlir::MLIRContext *context,
                                    llvm::StringRef command,
                                    llvm::ArrayRef<const char *> arguments,
                                    Status &done);

} // namespace weir

#endif // WEIR_COMPILER_OPTIONS_H
