// tfcompile's description of a graph's inputs and outputs.

#include "compiler/import/tensorflow/file/Config.h"

#include "compiler/import/Message.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/proto/tf2xla.pb.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
namespace tf2xla = ::tensorflow::tf2xla;

namespace weir::tensorflow {

static std::string tensorOf(const tf2xla::TensorId &id) {
  return id.node_name() + ":" + std::to_string(id.output_index());
}

/// What options and the library call the tensor where nobody says otherwise.
static std::string ownName(const tf2xla::TensorId &id) {
  return id.output_index() ? tensorOf(id) : id.node_name();
}

static std::pair<std::string, std::string> nameOf(const tf2xla::TensorId &id,
                                                  const std::string &name) {
  return {tensorOf(id), name.empty() ? ownName(id) : name};
}

static LogicalResult check(Report &report, const tf2xla::TensorId &id,
                           StringRef what) {
  if (!id.node_name().empty() && id.output_index() >= 0)
    return success();
  report.error() << what << " says of no node what it is";
  return failure();
}

static LogicalResult readFeed(Report &report, const tf2xla::Feed &feed,
                              Config &config) {
  if (failed(check(report, feed.id(), "a feed")))
    return failure();
  Feed read{tensorOf(feed.id()), {}};
  if (feed.has_shape()) {
    auto shape = shapeOf(feed.shape());
    if (failed(shape) || !*shape || ShapedType::isDynamicShape(**shape)) {
      report.error() << "feed '" << escaped(read.name)
                     << "' has no shape that is known, which tfcompile asks "
                        "for; leave it out, and give --shape or --dim";
      return failure();
    }
    Type element =
        feed.type() ? elementType(report.context, feed.type()) : Type();
    if (feed.type() && !element) {
      report.error(Status::unsupported)
          << "feed '" << escaped(read.name) << "' is of "
          << dataTypeName(feed.type()) << ", which weir has no inputs of";
      return failure();
    }
    if (element)
      read.type = RankedTensorType::get(**shape, element);
    else
      config.shapes.push_back({ownName(feed.id()), **shape});
  }
  config.feeds.push_back(read);
  config.inputNames.push_back(nameOf(feed.id(), feed.name()));
  return success();
}

static LogicalResult
checkNames(Report &report, StringRef what,
           const std::vector<std::pair<std::string, std::string>> &names) {
  llvm::StringSet<> known;
  for (const auto &[tensor, name] : names)
    if (!known.insert(name).second) {
      report.error() << "two " << what << " are called '" << escaped(name)
                     << "'";
      return failure();
    }
  return success();
}

Status readConfig(MLIRContext *context, StringRef path, Config &config) {
  Report report(context, path);
  FailureOr<File> file = File::open(report, path.str());
  if (failed(file))
    return report.status;
  std::string head(std::min<uint64_t>(file->size(), 4096), 0);
  tf2xla::Config read;
  if (!file->read(0, {head.data(), head.size()})) {
    report.error(Status::io) << "cannot read";
    return report.status;
  }
  if (failed(loadMessage(report, *file, isText(head), "tfcompile's", read)))
    return report.status;
  for (const tf2xla::Feed &feed : read.feed())
    if (failed(readFeed(report, feed, config)))
      return report.status;
  for (const tf2xla::Fetch &fetch : read.fetch()) {
    if (failed(check(report, fetch.id(), "a fetch")))
      return report.status;
    config.fetches.push_back(tensorOf(fetch.id()));
    config.outputNames.push_back(nameOf(fetch.id(), fetch.name()));
  }
  if (failed(checkNames(report, "feeds", config.inputNames)) ||
      failed(checkNames(report, "fetches", config.outputNames)))
    return report.status;
  if (config.fetches.empty())
    report.error() << "has no fetch";
  if (read.variable_size())
    report.warning(report.file())
        << "variables are state of the context, with a function each for where "
           "they lie, and are not passed to each run";
  return report.status;
}

} // namespace weir::tensorflow
