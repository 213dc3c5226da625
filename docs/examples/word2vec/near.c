/* Prints the nearest words of each WORD, and how many of the nearest words of
   all words are of the class of the word: near WORDS.txt [WORD]... */
#include "words.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 256, NEAREST = WORDS_NEIGHBOURS_ELEMENTS };

static char words[WORDS][32], classes[WORDS][32];

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file) {
    fprintf(stderr, "near WORDS.txt [WORD]...\n");
    return 2;
  }
  int count = 0, right = 0, all = 0;
  while (count < WORDS &&
         fscanf(file, "%31s %31s", words[count], classes[count]) == 2)
    ++count;
  fclose(file);
  words_ctx *net;
  if (words_create(NULL, NULL, &net) != WEIR_OK)
    return 1;
  for (int32_t query = 0; query < count; ++query) {
    int32_t neighbours[NEAREST];
    float similarities[NEAREST];
    if (words_run(net, &query, neighbours, similarities) != WEIR_OK) {
      fprintf(stderr, "%s\n", words_last_error(net));
      return 1;
    }
    int shown = 0;
    for (int i = 2; i < argc; ++i)
      shown |= !strcmp(argv[i], words[query]);
    if (shown)
      printf("%s:", words[query]);
    /* The first neighbour of a word is the word itself. */
    for (int i = 1; i < NEAREST; ++i) {
      if (shown)
        printf(" %s %.2f%s", words[neighbours[i]], similarities[i],
               i == NEAREST - 1 ? "\n" : ",");
      if (strcmp(classes[query], "-")) {
        right += !strcmp(classes[query], classes[neighbours[i]]);
        ++all;
      }
    }
  }
  words_destroy(net);
  printf("%d of %d neighbours are of the class of their word: %.1f %%\n", right,
         all, 100.0 * right / (all ? all : 1));
  return 0;
}
