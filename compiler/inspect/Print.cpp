// The text of a description: the same facts as its JSON.

#include "compiler/inspect/DynamicDims.h"
#include "compiler/inspect/Inspect.h"

using namespace llvm;

namespace weir {

static StringRef textAt(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("");
}

/// Names come from foreign files.
static std::string nameAt(const json::Object &object, StringRef key,
                          size_t limit = 200) {
  return escaped(textAt(object, key), limit);
}

/// What elements are indices of, or what columns are called.
static void printStrings(const json::Array &strings, raw_ostream &os) {
  constexpr size_t most = 8;
  os << ", strings";
  for (auto [i, string] : llvm::enumerate(strings))
    if (i < most)
      os << (i ? ", " : " ") << string;
  if (strings.size() > most)
    os << ", ... (" << strings.size() << ")";
}

static void printTensors(const json::Object &signature, StringRef what,
                         raw_ostream &os) {
  const json::Array *tensors = signature.getArray((what + "s").str());
  if (!tensors)
    return;
  for (const json::Value &value : *tensors) {
    const json::Object *tensor = value.getAsObject();
    if (!tensor)
      continue;
    os << "  " << left_justify(what, 7);
    if (!textAt(*tensor, "name").empty())
      os << nameAt(*tensor, "name") << ": ";
    if (std::string open = dynamicText(*tensor); !open.empty())
      os << open;
    else
      os << (textAt(*tensor, "type").empty() ? "?" : nameAt(*tensor, "type"));
    if (!textAt(*tensor, "tensor").empty() &&
        textAt(*tensor, "tensor") != textAt(*tensor, "name"))
      os << " (" << nameAt(*tensor, "tensor") << ")";
    if (const json::Array *strings = tensor->getArray("strings"))
      printStrings(*strings, os);
    os << "\n";
  }
}

/// The dynamic dimensions of a signature, one line each.
static void printRanges(const json::Object &signature, raw_ostream &os) {
  const json::Array *open = signature.getArray("open");
  if (!open)
    return;
  for (const json::Value &value : *open)
    if (const json::Object *range = value.getAsObject())
      os << "  size   " << nameAt(*range, "name") << ": "
         << range->getInteger("low").value_or(0) << ".."
         << range->getInteger("high").value_or(0) << "\n";
}

static void printMultiplyAdds(const json::Object &signature, raw_ostream &os) {
  int64_t count = signature.getInteger("multiply_adds").value_or(0);
  if (!count)
    return;
  os << "  multiply-adds " << count
     << (signature.getArray("open") ? " at the largest sizes" : "")
     << (signature.getBoolean("unknown_loops").value_or(false)
             ? ", with loops of unknown length counted once"
             : "")
     << "\n";
}

static void printSignatures(const json::Array &signatures, raw_ostream &os) {
  for (const json::Value &value : signatures)
    if (const json::Object *signature = value.getAsObject()) {
      os << "signature " << nameAt(*signature, "name")
         << (signature->getBoolean("one_graph").value_or(false)
                 ? ", one graph on the GPU"
                 : "")
         << "\n";
      printTensors(*signature, "input", os);
      printTensors(*signature, "output", os);
      printRanges(*signature, os);
      printMultiplyAdds(*signature, os);
    }
}

static void printOrigin(const json::Object &description, raw_ostream &os) {
  if (!textAt(description, "producer").empty()) {
    os << "producer " << nameAt(description, "producer");
    if (!textAt(description, "producer_version").empty())
      os << " " << nameAt(description, "producer_version");
    os << "\n";
  }
  for (StringRef key : {"domain", "description"})
    if (!textAt(description, key).empty())
      os << key << " " << nameAt(description, key) << "\n";
  static constexpr std::pair<StringLiteral, StringLiteral> versions[] = {
      {"ir_version", "IR version"},
      {"model_version", "model version"},
      {"graph_version", "GraphDef version"},
      {"oldest_reader", "oldest GraphDef version that reads it"}};
  for (auto &[key, what] : versions)
    if (std::optional<int64_t> version = description.getInteger(key))
      os << what << " " << *version << "\n";
  if (!textAt(description, "tensorflow_version").empty())
    os << "TensorFlow " << nameAt(description, "tensorflow_version") << "\n";
  if (const json::Array *tags = description.getArray("tags"))
    for (const json::Value &tag : *tags)
      os << "tag " << escaped(tag.getAsString().value_or("")) << "\n";
  if (const json::Array *opsets = description.getArray("opsets"))
    for (const json::Value &value : *opsets)
      if (const json::Object *opset = value.getAsObject())
        os << "opset " << nameAt(*opset, "domain") << " "
           << opset->getInteger("version").value_or(0) << "\n";
  if (const json::Array *metadata = description.getArray("metadata"))
    for (const json::Value &value : *metadata)
      if (const json::Object *entry = value.getAsObject())
        os << "metadata " << nameAt(*entry, "key") << ": "
           << nameAt(*entry, "value") << "\n";
}

static void printParameters(const json::Object &parameters, raw_ostream &os) {
  int64_t tensors = parameters.getInteger("tensors").value_or(0);
  if (!tensors)
    return;
  os << "parameters " << parameters.getInteger("elements").value_or(0)
     << " elements, " << parameters.getInteger("bytes").value_or(0)
     << " bytes, in " << tensors << (tensors == 1 ? " tensor\n" : " tensors\n");
  for (const json::Value &value : *parameters.getArray("types"))
    if (const json::Object *type = value.getAsObject())
      os << "  " << nameAt(*type, "type") << ": "
         << type->getInteger("elements").value_or(0) << " elements, "
         << type->getInteger("bytes").value_or(0) << " bytes\n";
}

/// A number as people write it, and an infinity.
static std::string numberText(const json::Value &value) {
  std::string text;
  raw_string_ostream os(text);
  if (std::optional<double> number = value.getAsNumber())
    os << format("%g", *number);
  else
    os << value.getAsString().value_or("");
  return text;
}

static void printWeights(const json::Array &tensors, raw_ostream &os) {
  for (const json::Value &value : tensors)
    if (const json::Object *tensor = value.getAsObject()) {
      os << "tensor " << nameAt(*tensor, "name") << ": "
         << nameAt(*tensor, "type") << ", "
         << tensor->getInteger("bytes").value_or(0) << " bytes";
      if (const json::Value *least = tensor->get("min"))
        os << ", " << numberText(*least) << " to "
           << numberText(*tensor->get("max"));
      if (tensor->getBoolean("nan").value_or(false))
        os << ", NaN";
      os << "\n";
    }
}

static void printVariables(const json::Array &variables, raw_ostream &os) {
  for (const json::Value &value : variables)
    if (const json::Object *variable = value.getAsObject()) {
      os << "variable " << nameAt(*variable, "name") << ": "
         << nameAt(*variable, "type");
      if (textAt(*variable, "key") != textAt(*variable, "name"))
        os << " (" << nameAt(*variable, "key") << " in checkpoints)";
      os << "\n";
    }
}

static void printOps(const json::Array &ops, raw_ostream &os) {
  int64_t total = 0;
  for (const json::Value &value : ops)
    if (const json::Object *op = value.getAsObject())
      total += op->getInteger("count").value_or(0);
  os << "ops " << total << "\n";
  for (const json::Value &value : ops)
    if (const json::Object *op = value.getAsObject())
      os << "  " << right_justify(std::to_string(*op->getInteger("count")), 6)
         << " " << nameAt(*op, "op") << "\n";
}

static void printNodes(const json::Array &nodes, raw_ostream &os) {
  for (const json::Value &value : nodes)
    if (const json::Object *node = value.getAsObject()) {
      os << "node " << nameAt(*node, "name") << " (" << nameAt(*node, "op")
         << ")";
      StringRef separator = ": ";
      if (const json::Array *inputs = node->getArray("inputs"))
        for (const json::Value &input : *inputs) {
          os << separator << escaped(input.getAsString().value_or(""));
          separator = ", ";
        }
      separator = " -> ";
      for (const json::Value &result : *node->getArray("results"))
        if (const json::Object *tensor = result.getAsObject()) {
          os << separator << nameAt(*tensor, "tensor");
          if (!textAt(*tensor, "type").empty())
            os << " " << nameAt(*tensor, "type");
          separator = ", ";
        }
      if (std::optional<int64_t> count = node->getInteger("multiply_adds"))
        os << ", " << *count << " multiply-adds";
      os << "\n";
    }
}

static void printSchedule(const json::Object &schedule, raw_ostream &os) {
  os << "    " << schedule.getInteger("steps").value_or(0)
     << " steps, one after the other, of at most "
     << schedule.getInteger("width").value_or(0) << " tasks at once\n";
  if (const json::Array *tasks = schedule.getArray("tasks"))
    for (const json::Value &value : *tasks)
      if (const json::Object *task = value.getAsObject()) {
        os << "    step " << task->getInteger("step").value_or(0) << ": "
           << nameAt(*task, "kernel");
        if (!textAt(*task, "node").empty())
          os << " for node '" << nameAt(*task, "node") << "'";
        os << (task->getBoolean("host").value_or(false) ? ", on the host" : "")
           << "\n";
      }
}

static void printProgram(const json::Object &program, raw_ostream &os) {
  const json::Array *buffers = program.getArray("buffers");
  os << "  program " << nameAt(program, "symbol") << ": "
     << program.getInteger("tasks").value_or(0) << " tasks, "
     << program.getInteger("buffer_count").value_or(0) << " buffers\n";
  if (const json::Object *schedule = program.getObject("schedule"))
    printSchedule(*schedule, os);
  if (!buffers)
    return;
  for (const json::Value &value : *buffers)
    if (const json::Object *buffer = value.getAsObject())
      os << "    at " << buffer->getInteger("offset").value_or(0) << ": "
         << buffer->getInteger("bytes").value_or(0) << " bytes, tasks "
         << buffer->getInteger("first").value_or(0) << " to "
         << buffer->getInteger("last").value_or(0) << ", "
         << (buffer->getBoolean("host").value_or(false) ? "of the host, " : "")
         << textAt(*buffer, "type") << "\n";
}

static void printPlan(const json::Object &plan, raw_ostream &os) {
  os << "memory\n";
  static constexpr std::pair<StringLiteral, StringLiteral> lines[] = {
      {"arena_bytes", "bytes of arena"},
      {"max_live_bytes", "bytes live at once, which no plan could stay below"},
      {"host_bytes", "bytes of memory of the GPU's host"},
      {"weights_bytes", "bytes of weights"},
      {"state_bytes", "bytes of variables"},
      {"context_bytes", "bytes of context"}};
  for (auto &[key, what] : lines)
    if (std::optional<int64_t> bytes = plan.getInteger(key))
      os << "  " << right_justify(std::to_string(*bytes), 12) << " " << what
         << "\n";
  if (const json::Array *programs = plan.getArray("programs"))
    for (const json::Value &program : *programs)
      if (const json::Object *object = program.getAsObject())
        printProgram(*object, os);
  if (const json::Array *checks = plan.getArray("checks"))
    for (const json::Value &check : *checks)
      os << "  may fail: " << escaped(check.getAsString().value_or("")) << "\n";
}

static void printGpu(const json::Object &gpu, raw_ostream &os) {
  os << "gpu\n";
  if (const json::Array *images = gpu.getArray("images"))
    for (const json::Value &value : *images)
      if (const json::Object *image = value.getAsObject())
        os << "  " << textAt(*image, "kind") << " for sm_"
           << textAt(*image, "sm") << ": "
           << image->getInteger("bytes").value_or(0) << " bytes\n";
  if (const json::Array *kernels = gpu.getArray("kernels"))
    for (const json::Value &value : *kernels)
      if (const json::Object *kernel = value.getAsObject()) {
        os << "  kernel " << nameAt(*kernel, "name");
        if (int64_t shared = kernel->getInteger("shared_bytes").value_or(0))
          os << ", at most " << shared << " bytes of dynamic shared memory";
        os << "\n";
      }
}

/// A line of what a rank does.
static void printItem(const json::Object &item, raw_ostream &os) {
  os << "    " << nameAt(item, "function") << ": " << textAt(item, "kind");
  if (std::optional<int64_t> number = item.getInteger("collective"))
    os << " " << *number;
  if (std::optional<int64_t> tasks = item.getInteger("tasks"))
    os << " " << *tasks << (*tasks == 1 ? " task, " : " tasks, ")
       << item.getInteger("estimated_ns").value_or(0) << " ns on one thread";
  os << "\n";
}

/// The ranks, and for each function the bytes of what they compute together.
static void printMesh(const json::Object &mesh, raw_ostream &os) {
  os << "ranks " << mesh.getInteger("ranks").value_or(0) << " (";
  bool isFirst = true;
  if (const json::Array *axes = mesh.getArray("axes"))
    for (const json::Value &value : *axes)
      if (const json::Object *axis = value.getAsObject()) {
        os << (isFirst ? "" : ",") << nameAt(*axis, "name") << "="
           << axis->getInteger("ranks").value_or(0);
        isFirst = false;
      }
  os << ")";
  if (std::optional<StringRef> role = mesh.getString("role"))
    os << ", for the task " << escaped(*role) << " from rank "
       << mesh.getInteger("first_rank").value_or(0);
  os << "\n";
  if (int64_t bytes = mesh.getInteger("weights_bytes").value_or(0))
    os << "  weights of one rank: " << bytes << " bytes\n";
  if (const json::Object *variables = mesh.getObject("divided_variables"))
    for (const auto &[name, dims] : *variables)
      os << "  variable '" << escaped(name) << "' is divided: " << dims << "\n";
  if (const json::Array *collectives = mesh.getArray("collectives"))
    for (const json::Value &value : *collectives)
      if (const json::Object *each = value.getAsObject()) {
        os << "  " << nameAt(*each, "function") << ": " << textAt(*each, "kind")
           << " of " << each->getInteger("bytes").value_or(0)
           << " bytes for node '" << nameAt(*each, "node") << "'";
        if (std::optional<double> start = each->getNumber("starts_after"))
          os << format(", from %.1f", 100 * *start)
             << format(" to %.1f %% of the work",
                       100 * each->getNumber("waits_after").value_or(1));
        os << "\n";
      }
  if (const json::Array *schedule = mesh.getArray("schedule"))
    for (const json::Value &value : *schedule)
      if (const json::Object *item = value.getAsObject())
        printItem(*item, os);
}

void printDescription(const json::Object &description, raw_ostream &os) {
  os << nameAt(description, "file") << ": " << textAt(description, "kind")
     << "\n";
  for (StringRef key :
       {"source", "target", "compiler", "prefix", "weights_file"})
    if (!textAt(description, key).empty())
      os << key << " " << nameAt(description, key, /*limit=*/4096) << "\n";
  printOrigin(description, os);
  if (std::optional<int64_t> threads = description.getInteger("threads"))
    os << "threads " << *threads << "\n";
  if (const json::Array *signatures = description.getArray("signatures"))
    printSignatures(*signatures, os);
  if (const json::Array *variables = description.getArray("variables"))
    printVariables(*variables, os);
  if (const json::Object *parameters = description.getObject("parameters"))
    printParameters(*parameters, os);
  if (const json::Array *tensors = description.getArray("tensors"))
    printWeights(*tensors, os);
  if (const json::Array *ops = description.getArray("ops"))
    printOps(*ops, os);
  if (const json::Array *nodes = description.getArray("nodes"))
    printNodes(*nodes, os);
  if (const json::Array *unsupported = description.getArray("unsupported"))
    for (const json::Value &op : *unsupported)
      os << "unsupported " << escaped(op.getAsString().value_or("")) << "\n";
  if (const json::Array *problems = description.getArray("problems"))
    for (const json::Value &problem : *problems)
      os << "problem: " << escaped(problem.getAsString().value_or("")) << "\n";
  if (const json::Object *plan = description.getObject("plan"))
    printPlan(*plan, os);
  if (const json::Object *mesh = description.getObject("mesh"))
    printMesh(*mesh, os);
  if (const json::Object *gpu = description.getObject("gpu"))
    printGpu(*gpu, os);
}

} // namespace weir
