// Prints the classes of an empty picture.
#include "digits.h"

#include <cstdio>

int main() {
  static float image[DIGITS_IMAGE_ELEMENTS];
  static float probabilities[DIGITS_PROBABILITIES_ELEMENTS];
  digits_ctx *net;
  if (digits_create(nullptr, nullptr, &net) != WEIR_OK ||
      digits_run(net, image, probabilities) != WEIR_OK)
    return 1;
  float sum = 0;
  for (float p : probabilities)
    sum += p;
  std::printf("%zu classes, sum %.2f\n",
              sizeof probabilities / sizeof *probabilities, sum);
  digits_destroy(net);
}
