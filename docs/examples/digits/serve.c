/* Reads the digits of the test pictures and prints how many are right:
   serve IMAGES LABELS */
#include "digits.h"

#include <stdio.h>

int main(int argc, char **argv) {
  digits_ctx *net;
  if (argc != 3 || digits_create(NULL, NULL, &net) != WEIR_OK)
    return 2;
  FILE *images = fopen(argv[1], "rb"), *labels = fopen(argv[2], "rb");
  if (!images || !labels)
    return 2;
  float image[DIGITS_IMAGE_ELEMENTS];
  float probabilities[DIGITS_PROBABILITIES_ELEMENTS];
  int label, right = 0, all = 0;
  while ((label = fgetc(labels)) != EOF &&
         fread(image, sizeof image, 1, images) == 1) {
    if (digits_run(net, image, probabilities) != WEIR_OK)
      return 1;
    int best = 0;
    for (int i = 1; i < 10; ++i)
      if (probabilities[i] > probabilities[best])
        best = i;
    right += best == label;
    if (all++ == 0) {
      for (int i = 0; i < 256; ++i)
        printf("%c%s", " .:+#"[(int)(image[i] * 4.99f)],
               i % 16 == 15 ? "\n" : "");
      printf("it is a %d (probability %.4f)\n", best, probabilities[best]);
    }
  }
  digits_destroy(net);
  printf("%d of %d digits read right: %.2f %%\n", right, all,
         100.0 * right / (all ? all : 1));
  return all && right >= 0.97 * all ? 0 : 1;
}
