// A report as a page of HTML: tables, and the memory plan as a drawing.

#include "compiler/report/Decisions.h"

#include "compiler/Diagnostics.h"
#include "dialects/kernel/Kernel.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace weir {
namespace {

/// Names come from foreign files: no control characters, and no markup.
std::string shown(StringRef text) {
  std::string plain = escaped(text, 400), result;
  raw_string_ostream os(result);
  printHTMLEscaped(plain, os);
  return result;
}

std::string shown(const json::Value *value) {
  if (!value)
    return "";
  if (std::optional<StringRef> text = value->getAsString())
    return shown(*text);
  if (std::optional<int64_t> number = value->getAsInteger())
    return std::to_string(*number);
  if (std::optional<double> number = value->getAsNumber())
    return formatv("{0:f4}", *number).str();
  std::string list;
  if (const json::Array *array = value->getAsArray())
    for (const json::Value &element : *array)
      list += (list.empty() ? "" : ", ") + shown(&element);
  return list;
}

struct Column {
  StringLiteral key, title;
};

void writeTable(const json::Array *rows, StringRef title,
                ArrayRef<Column> columns, raw_ostream &os) {
  if (!rows || rows->empty())
    return;
  os << "<h2>" << title << "</h2>\n<table>\n<tr>";
  for (const Column &column : columns)
    os << "<th>" << column.title << "</th>";
  os << "</tr>\n";
  for (const json::Value &row : *rows) {
    const json::Object *object = row.getAsObject();
    if (!object)
      continue;
    os << "<tr>";
    for (const Column &column : columns)
      os << "<td>" << shown(object->get(column.key)) << "</td>";
    os << "</tr>\n";
  }
  os << "</table>\n";
}

int64_t numberAt(const json::Object &object, StringRef key) {
  return object.getInteger(key).value_or(0);
}

/// Tasks from left to right, the arena's bytes from top to bottom.
void drawBuffers(const json::Object &program, int64_t arenaBytes,
                 raw_ostream &os) {
  const json::Array *buffers = program.getArray("buffers");
  if (!buffers || buffers->empty() || arenaBytes <= 0)
    return;
  constexpr double width = 960, height = 360;
  double tasks = std::max<int64_t>(numberAt(program, "tasks"), 1);
  os << formatv("<svg viewBox=\"0 0 {0} {1}\" role=\"img\">\n", width, height);
  for (auto [i, value] : enumerate(*buffers)) {
    const json::Object *buffer = value.getAsObject();
    if (!buffer || buffer->getBoolean("host").value_or(false))
      continue;
    double first = numberAt(*buffer, "first");
    double last = numberAt(*buffer, "last");
    os << formatv(
        "<rect x=\"{0:f2}\" y=\"{1:f2}\" width=\"{2:f2}\" height=\"{3:f2}\" "
        "fill=\"hsl({4},55%,70%)\" stroke=\"#444\" stroke-width=\"0.3\">"
        "<title>{5}, {6} bytes at {7}, tasks {8} to {9}</title></rect>\n",
        first / tasks * width,
        static_cast<double>(numberAt(*buffer, "offset")) / arenaBytes * height,
        (last - first + 1) / tasks * width,
        static_cast<double>(numberAt(*buffer, "bytes")) / arenaBytes * height,
        i * 47 % 360, shown(buffer->get("type")), numberAt(*buffer, "bytes"),
        numberAt(*buffer, "offset"), numberAt(*buffer, "first"),
        numberAt(*buffer, "last"));
  }
  os << "</svg>\n";
}

void writeProgram(const json::Object &program, int64_t arenaBytes,
                  raw_ostream &os) {
  os << "<h2>Memory of " << shown(program.get("symbol"))
     << ": tasks from left to right, bytes from top to bottom</h2>\n";
  drawBuffers(program, arenaBytes, os);
  const json::Object *schedule = program.getObject("schedule");
  if (!schedule)
    return;
  os << "<p>" << numberAt(*schedule, "steps")
     << " steps, one after the other, of at most "
     << numberAt(*schedule, "width") << " tasks at once.</p>\n";
  writeTable(schedule->getArray("tasks"), "Schedule",
             {{"step", "step"}, {"kernel", "kernel"}, {"node", "node"}}, os);
}

/// The entries of schedules, with their parameters as one list.
json::Array withParameters(const json::Array *schedules) {
  json::Array entries;
  for (const json::Value &each : schedules ? *schedules : json::Array()) {
    json::Object entry = *each.getAsObject();
    json::Array list;
    for (StringRef name : kernel::scheduleParameters())
      if (const json::Value *value = entry.get(name))
        list.push_back(formatv("{0} = {1}", name, *value).str());
    entry["parameters"] = std::move(list);
    entries.push_back(std::move(entry));
  }
  return entries;
}

} // namespace

void writeHtml(const json::Object &report, raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<title>"
     << shown(report.get("source"))
     << "</title>\n<style>\n"
        "body { font: 14px/1.4 sans-serif; margin: 2em; max-width: 70em; }\n"
        "table { border-collapse: collapse; }\n"
        "th, td { border: 1px solid #ccc; padding: 2px 8px; text-align: left; "
        "}\nsvg { width: 100%; border: 1px solid #ccc; }\n"
        "</style>\n</head>\n<body>\n<h1>"
     << shown(report.get("source")) << "</h1>\n";
  os << "<p>" << shown(report.get("compiler")) << ": "
     << shown(report.get("arguments")) << "</p>\n";
  for (auto [key, title] : {std::pair("model", "Model"), {"products", "Files"}})
    writeTable(report.getArray(key), title,
               {{"file", "file"}, {"bytes", "bytes"}, {"sha256", "SHA-256"}},
               os);
  if (const json::Array *signatures = report.getArray("signatures"))
    for (const json::Value &value : *signatures)
      if (const json::Object *signature = value.getAsObject()) {
        std::string name = "Function " + shown(signature->get("name"));
        for (const char *side : {"inputs", "outputs"})
          writeTable(signature->getArray(side), name + ": " + side,
                     {{"name", "name"}, {"tensor", "tensor"}, {"type", "type"}},
                     os);
      }
  writeTable(report.getArray("stages"), "Time",
             {{"stage", "stage"}, {"seconds", "seconds"}}, os);
  if (const json::Object *plan = report.getObject("plan")) {
    int64_t arenaBytes = numberAt(*plan, "arena_bytes");
    os << "<p>The arena has " << arenaBytes << " bytes, and no plan could stay "
       << "below " << numberAt(*plan, "max_live_bytes") << ". Weights have "
       << numberAt(*plan, "weights_bytes") << " bytes.</p>\n";
    if (const json::Array *programs = plan->getArray("programs"))
      for (const json::Value &program : *programs)
        if (const json::Object *object = program.getAsObject())
          writeProgram(*object, arenaBytes, os);
  }
  writeTable(report.getArray("groups"), "Ops that became one kernel each",
             {{"node", "node"}, {"ops", "ops"}, {"result", "result"}}, os);
  writeTable(report.getArray("kernels"), "Kernels",
             {{"name", "name"},
              {"parts", "made of"},
              {"takes", "takes"},
              {"tasks", "tasks"}},
             os);
  json::Array schedules = withParameters(report.getArray("schedules"));
  writeTable(&schedules, "Schedules",
             {{"node", "node"},
              {"algorithm", "algorithm"},
              {"kernel", "kernel"},
              {"layout", "layout"},
              {"cycles", "cycles"},
              {"parameters", "parameters"}},
             os);
  os << "</body>\n</html>\n";
}

} // namespace weir
