// Reads a model's file and checks what it says of itself.

#include "compiler/import/onnx/Model.h"

#include "compiler/import/Message.h"
#include "compiler/import/Tracing.h"
#include "compiler/import/onnx/FixedInputs.h"
#include "compiler/import/onnx/Tracer.h"

using namespace mlir;
using ::onnx::FunctionProto;

namespace weir::onnx {

/// What a function is found by.
static std::string functionKey(StringRef domain, StringRef name,
                               StringRef overload) {
  return opKey(domain, name) + "\n" + overload.str();
}

static bool
readOpsets(Report &report,
           const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
               &imports,
           Opsets &opsets) {
  for (const auto &import : imports) {
    StringRef domain = import.domain();
    if (domain == "ai.onnx")
      domain = "";
    if (import.version() < 1 ||
        (domain.empty() && import.version() > maxOpset)) {
      report.error() << "wants version " << import.version()
                     << " of the ops of '" << escaped(import.domain())
                     << "', which there is not";
      return false;
    }
    auto [known, isNew] = opsets.try_emplace(domain, import.version());
    if (!isNew && known->second != import.version()) {
      report.error() << "wants the ops of '" << escaped(import.domain())
                     << "' in versions " << known->second << " and "
                     << import.version();
      return false;
    }
    if (domain.empty() && import.version() > newestOpset)
      report.warning(report.file()) << "is of opset " << import.version()
                                    << "; ops that changed after opset "
                                    << newestOpset << " are read as they were";
  }
  return true;
}

bool Model::addFunctions(Report &report) {
  for (FunctionProto &function : *message.mutable_functions()) {
    if (function.name().empty()) {
      report.error() << "has a function without a name";
      return false;
    }
    if (!functions
             .try_emplace(functionKey(function.domain(), function.name(),
                                      function.overload()),
                          &function)
             .second) {
      report.error() << "has two functions '"
                     << escaped(opKey(function.domain(), function.name()))
                     << "'";
      return false;
    }
  }
  return true;
}

/// The functions of a file of ops: those of a model, or one by itself. Domains
/// that a function names no version of are those of its model.
static bool
readOps(Report &report, const std::string &path,
        google::protobuf::RepeatedPtrField<FunctionProto> &functions) {
  Report here(report.context, path);
  auto failing = [&] {
    report.status = here.status;
    return false;
  };
  FailureOr<File> file = File::open(here, path);
  if (failed(file))
    return failing();
  std::string head(std::min<uint64_t>(file->size(), 4096), 0);
  if (!file->read(0, {head.data(), head.size()})) {
    here.error(Status::io) << "cannot read";
    return failing();
  }
  // A function begins with its name, and a model with a number.
  bool isAlone =
      isText(head)
          ? llvm::is_contained(ArrayRef<StringRef>{"name", "input", "output",
                                                   "attribute", "node"},
                               firstWord(head))
          : StringRef(head).starts_with("\x0a");
  if (isAlone)
    return succeeded(loadMessage(here, *file, isText(head), "ONNX's",
                                 *functions.Add())) ||
           failing();
  ::onnx::ModelProto model;
  if (failed(loadMessage(here, *file, isText(head), "ONNX's", model)))
    return failing();
  if (!model.functions_size()) {
    here.error() << "has no functions of ONNX's, which --ops takes from it";
    return failing();
  }
  for (FunctionProto &function : *model.mutable_functions()) {
    for (const auto &import : model.opset_import())
      if (llvm::none_of(function.opset_import(), [&](const auto &own) {
            return own.domain() == import.domain();
          }))
        *function.add_opset_import() = import;
    *functions.Add() = std::move(function);
  }
  return true;
}

bool Model::addOps(Report &report, const std::string &path) {
  google::protobuf::RepeatedPtrField<FunctionProto> read;
  if (!readOps(report, path, read))
    return false;
  for (FunctionProto &function : read) {
    std::string key =
        functionKey(function.domain(), function.name(), function.overload());
    auto [known, isNew] =
        outsideByKey.try_emplace(key, std::pair(nullptr, path));
    if (!isNew || function.name().empty()) {
      report.error(Status::badUsage)
          << "--ops=" << escaped(path) << ": "
          << (isNew ? "has a function without a name"
                    : "defines '" +
                          escaped(opKey(function.domain(), function.name())) +
                          "', which " + escaped(known->second.second) +
                          " defines, too");
      return false;
    }
    outside.push_back(std::move(function));
    known->second.first = &outside.back();
  }
  return true;
}

namespace {
/// A list of nodes whose calls are counted.
struct Visit {
  const FunctionProto *def; // null for the model's graph
  SmallVector<const FunctionProto *> callees = {};
  size_t next = 0;
  uint64_t size = 0;
};
} // namespace

/// The nodes in the list and in graphs that they hold, and whom they call.
static Visit
visit(const Model &model, const FunctionProto *def,
      const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes) {
  Visit visit{def};
  SmallVector<decltype(&nodes)> lists{&nodes};
  while (!lists.empty())
    for (const auto &node : *lists.pop_back_val()) {
      ++visit.size;
      if (const FunctionProto *callee = model.function(node))
        visit.callees.push_back(callee);
      for (const auto &attribute : node.attribute()) {
        if (attribute.has_g())
          lists.push_back(&attribute.g().node());
        for (const auto &graph : attribute.graphs())
          lists.push_back(&graph.node());
      }
    }
  return visit;
}

/// Each call makes the nodes of its function anew: functions that call others
/// twice are refused before that takes minutes. Those that call themselves are
/// found at the call.
static bool checkCalls(Report &report, const Model &model,
                       const ::onnx::GraphProto &graph) {
  llvm::DenseMap<const FunctionProto *, uint64_t> sizes;
  std::vector<Visit> stack{visit(model, nullptr, graph.node())};
  while (!stack.empty()) {
    Visit &top = stack.back();
    if (top.next < top.callees.size()) {
      const FunctionProto *callee = top.callees[top.next++];
      auto [known, isNew] = sizes.try_emplace(callee, 0);
      top.size = std::min(top.size + known->second, nodeBudget + 1);
      if (isNew)
        stack.push_back(visit(model, callee, callee->node()));
      continue;
    }
    if (top.size > nodeBudget) {
      report.error(Status::limit)
          << "the calls of functions make more than " << nodeBudget << " nodes";
      return false;
    }
    Visit done = std::move(stack.back());
    stack.pop_back();
    if (done.def)
      sizes[done.def] = done.size;
    if (!stack.empty())
      stack.back().size =
          std::min(stack.back().size + done.size, nodeBudget + 1);
  }
  return true;
}

bool Model::index(Report &report) {
  if (!message.has_ir_version() || message.ir_version() < 1 ||
      !message.has_graph()) {
    report.error() << "is no model of ONNX's: it has "
                   << (message.has_graph() ? "no version" : "no graph");
    return false;
  }
  if (message.ir_version() > newestFormat) {
    report.error(Status::unsupported)
        << "is of version " << message.ir_version()
        << " of ONNX's format, and weir reads up to " << newestFormat;
    return false;
  }
  if (!readOpsets(report, message.opset_import(), opsets))
    return false;
  // Version 3 of the format is the first to name opsets.
  if (opsets.empty() && message.ir_version() >= 3) {
    report.error() << "does not say of which opset its ops are";
    return false;
  }
  if (message.ir_version() < 3)
    opsets.try_emplace("", 1);
  if (!addFunctions(report) || !checkCalls(report, *this, message.graph()))
    return false;
  root = Graph::create(report, *message.mutable_graph(), /*isInner=*/false);
  if (root && root->outputs.empty()) {
    report.error() << "has a graph without outputs";
    return false;
  }
  return root != nullptr;
}

std::unique_ptr<Model> Model::read(Report &report,
                                   const ImportOptions &options) {
  FailureOr<File> file = File::open(report, options.path);
  if (failed(file))
    return nullptr;
  std::string head(std::min<uint64_t>(file->size(), 4096), 0);
  if (!file->read(0, {head.data(), head.size()})) {
    report.error(Status::io) << "cannot read";
    return nullptr;
  }
  std::unique_ptr<Model> model(new Model(options.path));
  for (const CustomOp &custom : options.customOps)
    model->customOps[custom.op] = custom.call;
  for (const std::string &path : options.opFiles)
    if (!model->addOps(report, path))
      return nullptr;
  if (failed(
          loadMessage(report, *file, isText(head), "ONNX's", model->message)) ||
      failed(fixInputs(report, options, *model->message.mutable_graph())) ||
      !model->index(report))
    return nullptr;
  return model;
}

FunctionProto *Model::function(const ::onnx::NodeProto &node) const {
  std::string key = functionKey(node.domain(), node.op_type(), node.overload());
  if (FunctionProto *own = functions.lookup(key))
    return own;
  auto found = outsideByKey.find(key);
  return found == outsideByKey.end() || isKnownOp(opKey(node))
             ? nullptr
             : found->second.first;
}

const Model::Body *Model::body(Report &report, FunctionProto &function) {
  std::unique_ptr<Body> &body = bodies[&function];
  if (body)
    return body.get();
  auto made = std::make_unique<Body>();
  if (!readOpsets(report, function.opset_import(), made->opsets))
    return nullptr;
  // What a function does not say of a domain, the model says.
  for (const auto &opset : opsets)
    made->opsets.try_emplace(opset.getKey(), opset.second);
  made->graph = Graph::create(report, function);
  if (!made->graph)
    return nullptr;
  body = std::move(made);
  return body.get();
}

const Graph *Model::inner(Report &report, ::onnx::GraphProto &graph) {
  std::unique_ptr<Graph> &made = inners[&graph];
  if (!made)
    made = Graph::create(report, graph, /*isInner=*/true);
  return made.get();
}

} // namespace weir::onnx
