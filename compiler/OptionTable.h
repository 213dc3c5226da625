// The table of options that Options.td defines, and which of them go together.

#ifndef WEIR_COMPILER_OPTIONTABLE_H
#define WEIR_COMPILER_OPTIONTABLE_H

#include "compiler/Options.h"
#include "compiler/terminal/Colors.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/MemoryBuffer.h"

namespace weir {

/// What Options.td says that an option is for: the commands, and what it is of.
enum OptionUse : unsigned {
  DefaultVis = llvm::opt::DefaultVis,
  ForCompile = 1 << 1,
  ForInspect = 1 << 2,
  ForReference = 1 << 3,
  ForDiff = 1 << 4,
  ForSide = 1 << 7,
  ForPartition = 1 << 8,
};
enum OptionFlag : unsigned {
  OfModel = 1 << 5,
  OfProduct = 1 << 6,
};

enum OptionID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "compiler/Options.inc"
#undef OPTION
};

class OptionTable : public llvm::opt::GenericOptTable {
public:
  OptionTable();
};

/// Where what is wrong with a command line is said, all at once.
struct Usage {
  bool wrong = false;
  llvm::raw_ostream &say() {
    wrong = true;
    return message("error");
  }
};

/// The visibility of the options of `weir COMMAND`.
OptionUse useOf(llvm::StringRef command);

/// Prints the help of a command, with rare options where `isWhole`.
void printHelp(const OptionTable &table, llvm::StringRef command, bool isWhole);

/// Says what nothing is called, with the nearest name.
void checkNames(const OptionTable &table, const llvm::opt::InputArgList &args,
                Usage &usage);

/// Reads the options of what is compiled for.
void readTarget(const llvm::opt::InputArgList &args, llvm::StringRef command,
                Options &options, Usage &usage);

/// Reads what defines ops that weir does not know, for a product that is known.
void readOps(mlir::MLIRContext *context, const llvm::opt::InputArgList &args,
             Options &options, Usage &usage);

/// Reads what inspect prints or writes.
void readInspect(const llvm::opt::InputArgList &args, Options &options,
                 Usage &usage);

/// Reads the options that add functions. They depend on --fetch and
/// --target-node, which are read before.
void readFunctions(const llvm::opt::InputArgList &args, ImportOptions &import,
                   Usage &usage);

/// Reads how to train. It depends on --grad, which readFunctions reads.
void readTraining(mlir::MLIRContext *context,
                  const llvm::opt::InputArgList &args, Options &options,
                  Usage &usage);

/// Reads what a debugging library has besides the model. It depends on the
/// target, which readTarget reads.
void readInstruments(const llvm::opt::InputArgList &args, Options &options,
                     Usage &usage);

/// Reads the options of `weir reference`.
void readReference(const llvm::opt::InputArgList &args,
                   ReferenceOptions &options, Usage &usage);

/// Reads the options of `weir diff`. Those in --a and --b are of the table.
void readDiff(const OptionTable &table, const llvm::opt::InputArgList &args,
              DiffOptions &options, Usage &usage);

/// Reads the options that look at kernels and at the compiler itself. They
/// depend on the stage and on the machine, which are read before.
void readDump(const llvm::opt::InputArgList &args, Options &options,
              Usage &usage);

/// Reads the options of the depfile. They depend on the product, which is read
/// before.
void readDepfile(const llvm::opt::InputArgList &args, Options &options,
                 Usage &usage);
void readProgress(const llvm::opt::InputArgList &args,
                  ProgressOptions &progress, Usage &usage);
/// Reads the options of reports and remarks, and the file of --report-profile.
/// A report has all arguments. The status is of the system.
Status readReport(const llvm::opt::InputArgList &args, ReportOptions &report,
                  Usage &usage);
/// A number of bytes from 1 on; K, M and G stand for powers of 1024.
std::optional<int64_t> parseBytes(llvm::StringRef text);
/// The ranks that run the library together.
void readMesh(const llvm::opt::InputArgList &args, Options &options,
              Usage &usage);
/// The cluster of weir partition. The status is of the system.
Status readCluster(const llvm::opt::InputArgList &args, llvm::StringRef command,
                   Options &options, Usage &usage);
/// A file that an option names, on which the product then depends. Null after a
/// message, with the status.
std::unique_ptr<llvm::MemoryBuffer> readOptionFile(llvm::StringRef path,
                                                   Status &status);

/// Reads the file of --schedule. The status is of the system.
Status readSchedules(mlir::MLIRContext *context,
                     const llvm::opt::InputArgList &args, Options &options,
                     Usage &usage);

/// Says which options have no meaning for the command, for the kind of input,
/// or where `options` asks for IR and not for a product.
void checkUses(const llvm::opt::InputArgList &args, llvm::StringRef command,
               const Options &options, Usage &usage);

} // namespace weir

#endif // WEIR_COMPILER_OPTIONTABLE_H
