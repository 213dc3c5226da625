// What a module says of its plan: the order of tasks, and their memory.

#include "compiler/inspect/Module.h"

#include "compiler/Place.h"
#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string nodeText(Location location) {
  return json::fixUTF8(nodeOf(location));
}

/// When each task runs, in the time of the planner: lifetimes of buffers count
/// in it. A group of tasks, a copy, a check, and the start and the wait of an
/// exchange take one moment each. So do the start of a conditional and the end
/// of a loop.
class Timeline {
public:
  explicit Timeline(plan::ProgramOp program) {
    program->walk([&](Operation *op, const WalkStage &stage) {
      if (isa<plan::WhileOp>(op)) {
        if (stage.isBeforeAllRegions())
          begins[op] = now;
        else if (stage.isAfterAllRegions())
          addRegion(op, now++);
      } else if (isa<plan::IfOp>(op)) {
        if (stage.isBeforeAllRegions())
          begins[op] = now++;
        else if (stage.isAfterAllRegions())
          addRegion(op, now - 1);
      } else if (auto run = dyn_cast<plan::RunOp>(op)) {
        begins[op] = now;
        now += run.nextInGroup() ? 0 : 1;
      } else if (isa<plan::CopyOp, plan::CheckOp, plan::ExchangeOp,
                     plan::StartOp, plan::WaitOp>(op)) {
        begins[op] = now++;
      }
    });
  }

  int64_t at(Operation *op) const { return begins.lookup(op); }
  int64_t end() const { return now; }
  /// The loops and conditionals, inner ones first.
  json::Array takeRegions() { return std::move(regions); }

private:
  void addRegion(Operation *op, int64_t last) {
    regions.push_back(
        json::Object{{"kind", isa<plan::WhileOp>(op) ? "loop" : "conditional"},
                     {"node", nodeText(op->getLoc())},
                     {"first", begins.lookup(op)},
                     {"last", last}});
  }

  DenseMap<Operation *, int64_t> begins;
  json::Array regions;
  int64_t now = 0;
};

/// The tasks that use each buffer of a program, by their numbers.
class Users {
public:
  explicit Users(plan::ProgramOp program) {
    int64_t number = 0;
    program.walk<WalkOrder::PreOrder>([&](plan::RunOp run) {
      for (Value operand : run.getOperands())
        add(operand, number);
      Operation *kernel = plan::findKernel(run, run.getKernelAttr());
      if (kernel && attrs::scratchBytes.isOn(kernel))
        scratch.insert(run.getOperands().back());
      ++number;
    });
  }

  bool isScratch(Value buffer) const { return scratch.contains(buffer); }
  json::Array of(Value buffer) const {
    auto found = tasks.find(buffer);
    return found == tasks.end() ? json::Array() : json::Array(found->second);
  }

private:
  void add(Value memref, int64_t number) {
    while (auto view = memref.getDefiningOp<plan::ViewOp>())
      memref = view.getSource();
    SmallVector<int64_t> &numbers = tasks[memref];
    if (numbers.empty() || numbers.back() != number)
      numbers.push_back(number);
  }

  DenseMap<Value, SmallVector<int64_t>> tasks;
  DenseSet<Value> scratch;
};

json::Object describeTask(plan::RunOp run, int64_t step,
                          const Timeline &timeline) {
  json::Object task{{"step", step},
                    {"kernel", json::fixUTF8(run.getKernel())},
                    {"node", nodeText(run.getLoc())},
                    {"at", timeline.at(run)}};
  if (std::optional<int64_t> workItems = run.getWorkItems())
    task["work_items"] = *workItems;
  if (run.getRowWise())
    task["row_wise"] = true;
  if (run.getHost())
    task["host"] = true;
  Operation *kernel = plan::findKernel(run, run.getKernelAttr());
  if (IntegerAttr time = kernel ? attrs::nanoseconds.of(kernel) : nullptr)
    task["estimated_ns"] = time.getInt();
  return task;
}

json::Object describeSchedule(plan::ProgramOp program,
                              const Timeline &timeline) {
  json::Array tasks;
  int64_t steps = 0, width = 0, together = 0;
  plan::RunOp expected;
  program.walk<WalkOrder::PreOrder>([&](plan::RunOp run) {
    // The tasks of one group run in parallel; in a row-wise group, rows wait
    // for their own rows.
    together = run == expected ? together + 1 : 1;
    expected = run.nextInGroup();
    steps += together == 1;
    width = std::max(width, run.getRowWise() ? 1 : together);
    tasks.push_back(describeTask(run, steps - 1, timeline));
  });
  return json::Object{
      {"steps", steps}, {"width", width}, {"tasks", std::move(tasks)}};
}

json::Object describeMemory(Operation *op, int64_t offset, const Users &users) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  return json::Object{{"offset", offset},
                      {"bytes", plan::bytesOf(type)},
                      {"type", textOf(type)},
                      {"node", nodeText(op->getLoc())},
                      {"tasks", users.of(op->getResult(0))}};
}

json::Object programOf(plan::ProgramOp program) {
  json::Array buffers, weights, variables, copies;
  int64_t tasks = 0;
  Timeline timeline(program);
  Users users(program);
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    tasks += isa<plan::RunOp>(op);
    if (auto buffer = dyn_cast<plan::BufferOp>(op)) {
      json::Object described = describeMemory(op, buffer.getOffset(), users);
      described["first"] = static_cast<int64_t>(buffer.getFirst());
      described["last"] = static_cast<int64_t>(buffer.getLast());
      if (users.isScratch(buffer))
        described["scratch"] = true;
      if (buffer.getHost())
        described["host"] = true;
      buffers.push_back(std::move(described));
    } else if (auto weight = dyn_cast<plan::WeightOp>(op)) {
      weights.push_back(describeMemory(op, weight.getOffset(), users));
    } else if (auto state = dyn_cast<plan::StateOp>(op)) {
      variables.push_back(describeMemory(op, state.getOffset(), users));
    } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
      copies.push_back(json::Object{{"at", timeline.at(op)},
                                    {"bytes", plan::bytesOf(copy)},
                                    {"node", nodeText(op->getLoc())}});
    }
  });
  return json::Object{{"symbol", json::fixUTF8(program.getSymName())},
                      {"tasks", tasks},
                      {"moments", timeline.end()},
                      {"buffer_count", static_cast<int64_t>(buffers.size())},
                      {"schedule", describeSchedule(program, timeline)},
                      {"regions", timeline.takeRegions()},
                      {"buffers", std::move(buffers)},
                      {"weights", std::move(weights)},
                      {"variables", std::move(variables)},
                      {"copies", std::move(copies)}};
}

} // namespace

json::Object describeSchedule(plan::ProgramOp program) {
  return describeSchedule(program, Timeline(program));
}

std::optional<json::Object> describePlan(ModuleOp module) {
  if (!attrs::arenaBytes.isOn(module))
    return std::nullopt;
  json::Object plan;
  for (auto [key, attribute] :
       {std::pair("arena_bytes", &attrs::arenaBytes),
        std::pair("max_live_bytes", &attrs::maxLiveBytes),
        std::pair("host_bytes", &attrs::hostBytes),
        std::pair("weights_bytes", &attrs::weightsBytes)})
    if (IntegerAttr bytes = attribute->of(module))
      plan[key] = bytes.getInt();
  json::Array checks;
  if (auto messages = attrs::checks.of(module))
    for (Attribute message : messages)
      if (auto text = dyn_cast<StringAttr>(message))
        checks.push_back(json::fixUTF8(text.getValue()));
  plan["checks"] = std::move(checks);
  json::Array programs;
  for (auto program : module.getOps<plan::ProgramOp>())
    programs.push_back(programOf(program));
  if (!programs.empty())
    plan["programs"] = std::move(programs);
  return plan;
}

} // namespace weir
