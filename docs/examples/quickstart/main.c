/* Reads ten noisy digits with the compiled net and compares with NumPy. */
#include "digits.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>

int main(void) {
  digits_ctx *net;
  weir_status status = digits_create(NULL, NULL, &net);
  if (status != WEIR_OK) {
    fprintf(stderr, "%s\n", digits_status_text(status));
    return 1;
  }
  int right = 0;
  double worst = 0;
  for (int digit = 0; digit < 10; ++digit) {
    float probabilities[10];
    status = digits_run(net, pictures[digit], probabilities);
    if (status != WEIR_OK) {
      fprintf(stderr, "%s\n", digits_last_error(net));
      return 1;
    }
    int best = 0;
    for (int i = 0; i < 10; ++i) {
      if (probabilities[i] > probabilities[best])
        best = i;
      worst = fmax(worst, fabs((double)probabilities[i] - expected[digit][i]));
    }
    right += best == digit;
    if (digit == 2) {
      puts("one of the pictures:");
      for (int i = 0; i < 64; ++i)
        printf("%c%s", " .:+#"[(int)(pictures[digit][i] * 4.99f)],
               i % 8 == 7 ? "\n" : "");
      printf("it is a %d (probability %.4f)\n", best, probabilities[best]);
    }
  }
  digits_destroy(net);
  printf("%d of 10 digits read right; at most %.1g away from NumPy\n", right,
         worst);
  return right == 10 && worst < 1e-5 ? 0 : 1;
}
