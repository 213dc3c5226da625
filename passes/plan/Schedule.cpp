// What a rank computes and exchanges in a run of each entry, in order.

#include "passes/plan/Schedule.h"

#include "dialects/plan/Tasks.h"
#include "dialects/plan/Work.h"

using namespace mlir;

namespace weir::plan {
namespace {

class Items {
public:
  Items(MLIRContext *context, int64_t entry,
        SmallVectorImpl<ScheduleItemAttr> &items)
      : context(context), entry(entry), items(items) {}

  void compute(const Work &work, std::optional<int64_t> estimated) {
    ++tasks;
    all.add(work);
    nanoseconds += estimated.value_or(nanosecondsOf(work));
  }

  void exchange(StringRef kind, int64_t collective) {
    endCompute();
    items.push_back(ScheduleItemAttr::get(context, kind, entry, collective,
                                          /*tasks=*/0, /*nanoseconds=*/0,
                                          /*multiply_adds=*/0, /*bytes=*/0));
  }

  void endCompute() {
    if (!tasks)
      return;
    items.push_back(ScheduleItemAttr::get(context, "compute", entry,
                                          /*collective=*/0, tasks, nanoseconds,
                                          all.multiplyAdds, all.bytes()));
    tasks = nanoseconds = 0;
    all = {};
  }

private:
  MLIRContext *context;
  int64_t entry;
  SmallVectorImpl<ScheduleItemAttr> &items;
  int64_t tasks = 0, nanoseconds = 0;
  Work all; // since the last item
};

} // namespace

void addSchedule(plan::ProgramOp program, int64_t entry,
                 ArrayRef<CollectiveAttr> collectives,
                 SmallVectorImpl<ScheduleItemAttr> &list) {
  Items items(program.getContext(), entry, list);
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto run = dyn_cast<plan::RunOp>(op)) {
      items.compute(workOf(run), nanosecondsOf(run, run.getKernelAttr()));
    } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
      items.compute(workOf(copy), std::nullopt);
    } else if (auto start = dyn_cast<plan::StartOp>(op)) {
      items.exchange("start", start.getNumber());
    } else if (isa<plan::ProgressOp>(op)) {
      items.exchange("progress", 0);
    } else if (auto wait = dyn_cast<plan::WaitOp>(op)) {
      items.exchange("wait", wait.getNumber());
    } else if (auto exchange = dyn_cast<plan::ExchangeOp>(op)) {
      if (collectives[exchange.getNumber()].getKind() == "own_part") {
        Work copy;
        copy.read = copy.written =
            bytesOf(cast<MemRefType>(exchange.getSecond().getType()));
        items.compute(copy, std::nullopt);
        return;
      }
      items.exchange("start", exchange.getNumber());
      items.exchange("wait", exchange.getNumber());
    }
  });
  items.endCompute();
}

} // namespace weir::plan
