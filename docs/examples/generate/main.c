/* Continues a text, token by token: generate PROMPT [TEMPERATURE [SEED]].
 *
 * One run reads the prompt, and one run predicts each further token. The
 * context keeps the keys and values of all tokens before. */
#include "text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LETTERS = TEXT_STEP_LOGITS_ELEMENTS,
  PROMPT = TEXT_MAIN_IDS_DIM1,
  CONTEXT = 128
};

/* Tokens are a newline and the printable characters of ASCII. */
static int64_t token_of(char c) {
  return c >= ' ' && c <= '~' ? c - ' ' + 1 : 0;
}
static char letter_of(int64_t token) {
  return token ? (char)(token - 1 + ' ') : '\n';
}

/* A token by its probability; of temperature 0 the most probable one. */
static int64_t next_token(const float *logits, double temperature,
                          uint64_t *random) {
  int64_t best = 0;
  for (int64_t i = 1; i < LETTERS; ++i)
    if (logits[i] > logits[best])
      best = i;
  if (temperature <= 0)
    return best;
  double shares[LETTERS], sum = 0;
  for (int64_t i = 0; i < LETTERS; ++i)
    sum += shares[i] = exp((logits[i] - logits[best]) / temperature);
  /* Marsaglia's xorshift. */
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  double left = sum * (double)(*random >> 11) / 9007199254740992.0;
  for (int64_t i = 0; i < LETTERS; ++i)
    if ((left -= shares[i]) < 0)
      return i;
  return best;
}

int main(int argc, char **argv) {
  const char *prompt = argc > 1 ? argv[1] : "The compiler ";
  double temperature = argc > 2 ? atof(argv[2]) : 0;
  uint64_t random = argc > 3 ? strtoull(argv[3], NULL, 10) * 2 + 1 : 1;
  int64_t count = (int64_t)strlen(prompt), ids[PROMPT], shape[2] = {1, count},
          sizes[3];
  if (count < 1 || count > PROMPT) {
    fprintf(stderr, "a prompt has 1 to %d characters\n", (int)PROMPT);
    return 2;
  }
  text_ctx *model;
  static float logits[TEXT_MAIN_LOGITS_ELEMENTS];
  if (text_create(NULL, NULL, &model) != WEIR_OK || text_init(model) != WEIR_OK)
    return 1;
  for (int64_t i = 0; i < count; ++i)
    ids[i] = token_of(prompt[i]);
  printf("%s", prompt);
  weir_status status = text_main_(model, ids, shape, logits, sizes);
  const float *last = logits + (count - 1) * LETTERS;
  for (; status == WEIR_OK && count < CONTEXT; ++count) {
    int64_t token = next_token(last, temperature, &random);
    putchar(letter_of(token));
    fflush(stdout);
    status = text_step(model, &token, logits);
    last = logits;
  }
  putchar('\n');
  if (status != WEIR_OK)
    fprintf(stderr, "%s\n", text_last_error(model));
  text_destroy(model);
  return status != WEIR_OK;
}
