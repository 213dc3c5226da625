// This is the generated class of a model with 200 results.
#include "many.h"

#include <cstdio>
#include <memory>

int main() {
  auto net = std::make_unique<Many>();
  net->arg_x_data()[0] = 1;
  net->arg_x_data()[1] = -1;
  weir_status status = net->Run();
  const float *y = net->result199_data();
  std::printf("%d: %g %g\n", int(status), y[0], y[1]);
}
