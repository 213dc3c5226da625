// The test uses the generated class: buffers, a run, and the text of a failure.
#include "affine.h"

#include <cstdio>
#include <memory>

int main() {
  auto net = std::make_unique<demo::Affine>();
  for (int i = 0; i < AFFINE_X_DIM0; ++i)
    net->arg_x_data()[i] = float(i + 1);
  weir_status status = net->Run();
  const float *y = net->result_y_data();
  std::printf("%d: %g %g %g %g\n", int(status), y[0], y[1], y[2], y[3]);
  net->arg0_data()[0] = -1;
  status = net->Run();
  std::printf("%d: %s\n", int(status), net->error());
}
