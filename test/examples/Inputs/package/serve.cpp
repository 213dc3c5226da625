#include "net.h"

#include <cstdio>

int main() {
  demo::Digits digits;
  if (digits.status() != WEIR_OK)
    return 1;
  std::printf("%d pictures, %d elements\n", NET_IMAGE_DIM0, NET_RELU_ELEMENTS);
  return digits.Run() != WEIR_OK;
}
