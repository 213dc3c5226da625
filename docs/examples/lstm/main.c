/* Measures the perplexity of a text, or continues a text character by
 * character.
 *
 *   lstm perplexity LETTERS FILE
 *   lstm generate LETTERS PROMPT [TEMPERATURE [SEED]]
 *
 * Each run takes one character. The state of the LSTM stays in the context. */
#include "log.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = LOG_LOGITS_ELEMENTS, CHARACTERS = 200 };

static char letters[LETTERS];
static float logits[LETTERS];
static log_ctx *model;

/* The number of a character, or -1 for one that the model does not know. */
static int32_t token_of(int letter) {
  const char *found = memchr(letters, letter, LETTERS);
  return found ? (int32_t)(found - letters) : -1;
}

static weir_status step(int32_t token) {
  return log_run(model, &token, logits);
}

/* The logarithm of the sum of all exp(logits). */
static double log_of_sum(double temperature) {
  double largest = logits[0], sum = 0;
  for (int i = 1; i < LETTERS; ++i)
    largest = logits[i] > largest ? logits[i] : largest;
  for (int i = 0; i < LETTERS; ++i)
    sum += exp((logits[i] - largest) / temperature);
  return largest / temperature + log(sum);
}

/* Prints the perplexity of a file. Exits for a file that cannot be read, has no
 * two characters, or has a character that the model does not know. */
static weir_status perplexity(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  weir_status status = WEIR_OK;
  double loss = 0;
  long count = -1;
  int32_t token = 0;
  for (int c; status == WEIR_OK && (c = fgetc(file)) != EOF; ++count) {
    int32_t next = token_of(c);
    if (next < 0) {
      fprintf(stderr, "the training text has no '%c'\n", c);
      exit(1);
    }
    if (count >= 0) {
      status = step(token);
      loss += log_of_sum(1) - logits[next];
    }
    token = next;
  }
  fclose(file);
  if (count < 1) {
    fprintf(stderr, "%s: has no two characters\n", path);
    exit(1);
  }
  printf("perplexity of %ld characters: %.3f\n", count,
         exp(loss / (double)count));
  return status;
}

/* A character by its probability; with temperature 0 the most probable one. */
static int32_t choose(double temperature, uint64_t *random) {
  int32_t best = 0;
  for (int32_t i = 1; i < LETTERS; ++i)
    best = logits[i] > logits[best] ? i : best;
  if (temperature <= 0)
    return best;
  /* Knuth's linear congruential generator. */
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  double left = (double)(*random >> 11) / 9007199254740992.0;
  double total = log_of_sum(temperature);
  for (int32_t i = 0; i < LETTERS; ++i)
    if ((left -= exp(logits[i] / temperature - total)) < 0)
      return i;
  return best;
}

static weir_status generate(const char *prompt, double temperature,
                            uint64_t random) {
  weir_status status = WEIR_OK;
  for (const char *c = prompt; *c && status == WEIR_OK; ++c)
    status = step(token_of(*c));
  printf("%s", prompt);
  for (int i = 0; i < CHARACTERS && status == WEIR_OK; ++i) {
    int32_t token = choose(temperature, &random);
    putchar(letters[token]);
    status = step(token);
  }
  putchar('\n');
  return status;
}

int main(int argc, char **argv) {
  FILE *file = argc > 3 ? fopen(argv[2], "r") : NULL;
  if (!file || fread(letters, 1, LETTERS, file) != LETTERS || !*argv[3]) {
    fprintf(stderr, "lstm perplexity LETTERS FILE\n"
                    "lstm generate LETTERS PROMPT [TEMPERATURE [SEED]]\n");
    return 2;
  }
  fclose(file);
  int isGenerating = !strcmp(argv[1], "generate");
  for (const char *c = argv[3]; isGenerating && *c; ++c)
    if (token_of(*c) < 0) {
      fprintf(stderr, "the training text has no '%c'\n", *c);
      return 2;
    }
  weir_status status = log_create(NULL, NULL, &model);
  if (status != WEIR_OK) {
    fprintf(stderr, "%s\n", log_status_text(status));
    return 1;
  }
  status = log_init(model);
  if (status == WEIR_OK)
    status = isGenerating ? generate(argv[3], argc > 4 ? atof(argv[4]) : 0,
                                     argc > 5 ? strtoull(argv[5], NULL, 10) : 1)
                          : perplexity(argv[3]);
  if (status != WEIR_OK)
    fprintf(stderr, "%s\n", log_status_text(status));
  log_destroy(model);
  return status != WEIR_OK;
}
