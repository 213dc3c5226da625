// Writes a checkpoint from the entries and the shards of others.

#include "compiler/Merge.h"

#include "compiler/emit/Output.h"
#include "compiler/import/FileKind.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"
#include "compiler/import/tensorflow/file/Table.h"

#include "llvm/Support/EndianStream.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/Path.h"

#include "runtime/checkpoint/table.h"

using namespace llvm;
using weir::tensorflow::Checkpoint;

namespace weir {

namespace {

/// A table of LevelDB: one block of all entries, in the order of their keys.
class TableWriter {
public:
  void add(StringRef key, StringRef value) {
    raw_string_ostream os(block);
    encodeULEB128(0, os); // shares nothing with the key before
    encodeULEB128(key.size(), os);
    encodeULEB128(value.size(), os);
    os << key << value;
    last = key.str();
  }

  std::string finish() {
    std::string entries = endBlock(), meta = endBlock();
    add(last, entries);
    std::string top = endBlock(), footer = meta + top;
    footer.resize(40);
    table += footer;
    raw_string_ostream os(table);
    support::endian::write<uint64_t>(os, weir_table_magic, endianness::little);
    return std::move(table);
  }

private:
  /// Puts the block at the end of the table and returns where it lies.
  std::string endBlock() {
    std::string handle;
    {
      raw_string_ostream os(block);
      // The one place from which keys can be read, and how many there are.
      support::endian::write<uint32_t>(os, 0, endianness::little);
      support::endian::write<uint32_t>(os, 1, endianness::little);
    }
    {
      raw_string_ostream os(handle);
      encodeULEB128(table.size(), os);
      encodeULEB128(block.size(), os);
    }
    block += '\0'; // not compressed
    uint32_t sum = tensorflow::storedChecksum(block);
    table += block;
    raw_string_ostream os(table);
    support::endian::write<uint32_t>(os, sum, endianness::little);
    block.clear();
    return handle;
  }

  std::string table, block, last;
};

} // namespace

static std::string indexOf(const Checkpoint &checkpoint) {
  ::tensorflow::BundleHeaderProto header;
  header.set_num_shards(checkpoint.shardsOfAll());
  header.set_endianness(checkpoint.isBigEndian()
                            ? ::tensorflow::BundleHeaderProto::BIG
                            : ::tensorflow::BundleHeaderProto::LITTLE);
  header.mutable_version()->set_producer(1);
  TableWriter table;
  table.add("", header.SerializeAsString());
  for (const auto &[key, value] : checkpoint.all())
    table.add(key, value);
  return table.finish();
}

static Error copyFile(const File &from, StringRef name, raw_ostream &to) {
  std::vector<char> piece(size_t(1) << 22);
  for (uint64_t at = 0; at < from.size(); at += piece.size()) {
    size_t count = std::min<uint64_t>(piece.size(), from.size() - at);
    if (!from.read(at, {piece.data(), count}))
      return createStringError(std::errc::io_error, "cannot read '%s'",
                               name.str().c_str());
    to.write(piece.data(), count);
  }
  return Error::success();
}

/// The shards, and the index behind them, as temporary files.
static Error writeAll(Checkpoint &checkpoint, const std::string &to,
                      std::vector<OutputFile> &files) {
  auto write = [&](const std::string &path,
                   function_ref<Error(raw_fd_ostream &)> contents) -> Error {
    auto file = OutputFile::create(path);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return files.back().write(contents);
  };
  int count = checkpoint.shardsOfAll();
  for (int i = 0; i < count; ++i) {
    mlir::FailureOr<File *> shard = checkpoint.shard(i);
    if (failed(shard))
      return createStringError(std::errc::no_such_file_or_directory, "");
    std::string path = to + tensorflow::shardEnding(i, count);
    if (Error error = write(path, [&](raw_fd_ostream &os) {
          return copyFile(**shard, path, os);
        }))
      return error;
  }
  return write(to + ".index", [&](raw_fd_ostream &os) {
    os << indexOf(checkpoint);
    return Error::success();
  });
}

Status mergeCheckpoint(mlir::MLIRContext *context, const std::string &from,
                       const std::string &to) {
  Report report(context, from);
  std::string prefix = checkpointPrefix(from);
  if (prefix.empty()) {
    report.error(Status::io) << "is no checkpoint: there is no '"
                             << escaped(checkpointPart(from, 0)) << ".index'";
    return report.status;
  }
  if (sys::fs::exists(to + ".index")) {
    report.error(Status::badUsage)
        << "the checkpoint '" << escaped(to) << "' is there already";
    return report.status;
  }
  StringRef folder = sys::path::parent_path(prefix);
  mlir::FailureOr<File> directory =
      File::openDirectory(report, folder.empty() ? "." : folder.str());
  if (failed(directory))
    return report.status;
  std::unique_ptr<Checkpoint> checkpoint =
      Checkpoint::open(report, *directory, sys::path::filename(prefix));
  if (!checkpoint || failed(checkpoint->check()))
    return report.status;
  std::vector<OutputFile> files;
  Error error = writeAll(*checkpoint, to, files);
  if (!error)
    error = keepAll(files);
  if (!error)
    return Status::ok;
  std::string why = toString(std::move(error));
  // What cannot be opened has been reported.
  if (report.status == Status::ok)
    report.error(Status::io) << why;
  return report.status;
}

} // namespace weir
