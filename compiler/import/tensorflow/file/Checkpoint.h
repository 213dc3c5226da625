// A checkpoint of the second version: an index and shards of tensors.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CHECKPOINT_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CHECKPOINT_H

#include "compiler/import/File.h"
#include "compiler/import/tensorflow/proto/bundle.pb.h"

#include "mlir/IR/BuiltinAttributes.h"
#include <map>
#include <memory>

namespace weir::tensorflow {

/// What the name of a shard has behind the prefix: `.data-00000-of-00002`.
std::string shardEnding(int shard, int count);

class Checkpoint {
public:
  /// `prefix`.index and its shards in the directory; null after an error. With
  /// a prefix as in `part-?????-of-00002` (FileKind.h) what several processes
  /// saved of one model is seen as one checkpoint.
  static std::unique_ptr<Checkpoint> open(Report &report, const File &directory,
                                          llvm::StringRef prefix);

  bool has(llvm::StringRef key) const { return entries.count(key.str()); }
  llvm::SmallVector<llvm::StringRef> keys() const;
  /// The entries by their keys, in order, and the shards that they name.
  const std::map<std::string, std::string> &all() const { return entries; }
  int shardsOfAll() const { return shardCount; }
  mlir::FailureOr<File *> shard(int number);
  bool isBigEndian() const { return bigEndian; }
  /// Reads all bytes; an error where a checksum does not match, or slices do
  /// not fill their tensor.
  mlir::LogicalResult check();

  /// What the index says of a tensor.
  mlir::LogicalResult readEntry(llvm::StringRef key,
                                ::tensorflow::BundleEntryProto &entry);

  /// The tensor of that key, with its checksums checked. `name` is for the
  /// resource.
  mlir::FailureOr<mlir::ElementsAttr> tensor(llvm::StringRef key,
                                             llvm::StringRef name);

  /// The part of a tensor that `slice` names as a graph does that restores a
  /// partitioned variable: the sizes of all, and where the part lies along each
  /// dimension, `10 4 0,5:-`. Checked as a whole.
  mlir::FailureOr<mlir::ElementsAttr>
  part(llvm::StringRef key, llvm::StringRef slice, llvm::StringRef name);

  /// Which key holds the variable that was called so when it was saved; empty
  /// where the checkpoint does not say.
  std::string keyOfVariable(llvm::StringRef fullName);

private:
  /// A tensor's elements in their order.
  struct Raw {
    mlir::RankedTensorType type;
    std::string bytes;
  };

  explicit Checkpoint(Report &report) : report(report) {}

  /// Adds what one index has, whose shards come after those before.
  mlir::LogicalResult addPart(const std::string &prefix);
  mlir::LogicalResult addEntry(llvm::StringRef key,
                               ::tensorflow::BundleEntryProto entry);

  /// Opens the shard of an entry whose bytes are asked for, which lie in it. In
  /// all no more may be asked for than checkpoints hold that share no bytes: an
  /// index of a kilobyte can name a megabyte again and again.
  mlir::FailureOr<File *> claim(llvm::StringRef key,
                                const ::tensorflow::BundleEntryProto &entry);
  /// The bytes of an entry that has been claimed.
  mlir::FailureOr<std::string>
  readBytes(llvm::StringRef key, const ::tensorflow::BundleEntryProto &entry);
  mlir::FailureOr<Raw> read(llvm::StringRef key);
  mlir::FailureOr<std::string>
  readSlices(llvm::StringRef key, const ::tensorflow::BundleEntryProto &entry,
             llvm::ArrayRef<int64_t> shape, unsigned width);
  mlir::InFlightDiagnostic error(llvm::StringRef key);
  void readObjectGraph();

  Report &report;
  const File *directory = nullptr;
  std::string prefix;
  std::map<std::string, std::string> entries;
  std::map<int, File> shards;
  /// The prefix of each index, and the number of its first shard.
  std::vector<std::pair<int, std::string>> parts;
  /// Tensors that several variables are parts of.
  std::map<std::string, Raw> wholes;
  /// How many bytes the open shards have, and how many were claimed of them.
  uint64_t openBytes = 0, claimedBytes = 0;
  int shardCount = 0;
  bool bigEndian = false;
  bool objectsRead = false;
  std::map<std::string, std::string> keysByName;
};

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CHECKPOINT_H
