// The C++17 interface runs a model on threads of the caller.
#include "wide.hpp"

#include <atomic>
#include <vector>

static std::atomic<int> calls, most;

static void count(void *, int tasks, void (*fn)(void *data, int task),
                  void *data) {
  ++calls;
  if (tasks > most)
    most = tasks;
  for (int i = 0; i < tasks; ++i)
    fn(data, i);
}

/// The calls, and the largest number of tasks in one of them, in a run.
static void run(const char *name, const weir::config &config) {
  using Net = demo::Wide;
  weir::result<Net> made = Net::create(config);
  std::vector<float> x(Net::inputs::x::elements), y(Net::outputs::y::elements);
  calls = most = 0;
  made.value().run(x, y).value();
  std::printf("%s: %s, %d tasks, exp(0) is %g\n", name,
              calls ? "called" : "not called", int(most), double(y[0]));
}

int main() {
  weir::config config;
  run("its own", config);
  config.parallel_for = count;
  run("as compiled", config);
  config.threads = 2;
  run("two", config);
  config.threads = 1;
  run("one", config);
}
