// Prints the classes of a picture with the elements 0, 1/64, 2/64 and so on.
#include "classes.h"

#include <cstdio>

int main() {
  float image[CLASSES_IMAGE_ELEMENTS];
  float probabilities[CLASSES_PROBABILITIES_ELEMENTS];
  for (int i = 0; i < CLASSES_IMAGE_ELEMENTS; ++i)
    image[i] = i / 64.0f;
  classes_ctx *net;
  if (classes_create(nullptr, nullptr, &net) != WEIR_OK ||
      classes_run(net, image, probabilities) != WEIR_OK)
    return 1;
  for (float p : probabilities)
    std::printf("%.4f\n", p);
  classes_destroy(net);
}
