// The test uses the generated class of a model with variables.
#include "class.h"

#include <cstdio>

int main() {
  demo::Line net, other;
  float x[100], t[100], loss;
  for (int i = 0; i < 100; ++i) {
    x[i] = float(i) / 99;
    t[i] = 0.1f * x[i] + 0.3f;
  }
  net.init();
  int step = net.train_step(x, t, &loss), saved = net.save("class"),
      restored = other.restore("class");
  std::printf("%d %d %d: w is %g, restored %g\n", step, saved, restored,
              *line_var_w(net.context()), *line_var_w(other.context()));
  int status = other.restore("nowhere");
  std::printf("%d: %s\n", status, other.error());
}
