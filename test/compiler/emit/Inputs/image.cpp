// Objects of a class with large tensors move on a small stack.
#include "image.h"

#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

static constexpr size_t elements = 1024 * 1024 * 3;
static int failures;

static void check(bool good, const char *what) {
  if (!good)
    ++failures, std::printf("failed: %s\n", what);
}

static Image make(float value) {
  Image net;
  for (size_t i = 0; i < elements; ++i)
    net.arg0_data()[i] = value;
  return net;
}

int main() {
  std::vector<Image> nets;
  for (int i = 0; i < 5; ++i)
    nets.push_back(make(i - 2.f)); // grows, and moves its elements
  for (int i = 0; i < 5; ++i) {
    const Image &net = nets[i];
    check(nets[i].Run() == WEIR_OK, "a run");
    check(net.result_y_data()[elements - 1] == (i > 2 ? i - 2.f : 0), "y");
    check(reinterpret_cast<uintptr_t>(net.result0_data()) % 64 == 0, "align");
  }
  const float *at = nets[4].arg_image_data();
  Image moved = std::move(nets[4]);
  check(moved.arg_image_data() == at, "a move that copies nothing");
  check(nets[4].status() == WEIR_ERR_CONTEXT && nets[4].Run() && *nets[4].error(),
        "what was moved from");
  nets[4] = make(7);
  check(nets[4].Run() == WEIR_OK && *nets[4].result0_data() == 7, "assigned");
  Image fresh;
  check(*fresh.arg0_data() == 0, "zeros at first");
  std::printf("%d failures, %d bytes of an object\n", failures,
              sizeof(Image) <= 64 ? 64 : int(sizeof(Image)));
  return failures;
}
