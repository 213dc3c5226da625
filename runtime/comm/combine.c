// Combines what another rank has sent with this rank's elements.

#include "runtime/comm/combine.h"

typedef struct combination {
  const weir_collective *c;
  char *data;
  const char *other;
  uint64_t elements;
} combination;

enum { ELEMENTS_OF_ITEM = 4096 };

// The compiler vectorizes these loops.
#define COMBINE(TYPE, NAN_OF)                                                  \
  do {                                                                         \
    TYPE *x = (TYPE *)to;                                                      \
    const TYPE *y = (const TYPE *)from;                                        \
    if (how == WEIR_COMBINE_SUM)                                               \
      for (uint64_t i = 0; i < n; ++i)                                         \
        x[i] = (TYPE)(x[i] + y[i]);                                            \
    else if (how == WEIR_COMBINE_MAX)                                          \
      for (uint64_t i = 0; i < n; ++i)                                         \
        x[i] = x[i] > y[i] || NAN_OF(x[i]) ? x[i] : y[i];                      \
    else                                                                       \
      for (uint64_t i = 0; i < n; ++i)                                         \
        x[i] = x[i] < y[i] || NAN_OF(x[i]) ? x[i] : y[i];                      \
  } while (0)
#define IS_NAN(value) ((value) != (value))
#define NEVER(value) 0

static void combine(uint32_t dtype, uint32_t how, void *to, const void *from,
                    uint64_t n) {
  switch (dtype) {
  case WEIR_F32:
    COMBINE(float, IS_NAN);
    break;
  case WEIR_F64:
    COMBINE(double, IS_NAN);
    break;
  case WEIR_I8:
    COMBINE(int8_t, NEVER);
    break;
  case WEIR_I16:
    COMBINE(int16_t, NEVER);
    break;
  case WEIR_I32:
    if (how == WEIR_COMBINE_SUM) // signed sums must not overflow in C
      COMBINE(uint32_t, NEVER);
    else
      COMBINE(int32_t, NEVER);
    break;
  case WEIR_I64:
    if (how == WEIR_COMBINE_SUM)
      COMBINE(uint64_t, NEVER);
    else
      COMBINE(int64_t, NEVER);
    break;
  case WEIR_U8:
    COMBINE(uint8_t, NEVER);
    break;
  case WEIR_U16:
    COMBINE(uint16_t, NEVER);
    break;
  case WEIR_U32:
    COMBINE(uint32_t, NEVER);
    break;
  default:
    COMBINE(uint64_t, NEVER);
    break;
  }
}

static void combine_items(void *data, int64_t first, int64_t last,
                          int64_t slot) {
  const combination *all = data;
  (void)slot;
  uint64_t begin = (uint64_t)first * ELEMENTS_OF_ITEM;
  uint64_t end = (uint64_t)last * ELEMENTS_OF_ITEM;
  if (end > all->elements)
    end = all->elements;
  uint64_t width = all->c->element_bytes;
  combine(all->c->dtype, all->c->combine, all->data + begin * width,
          all->other + begin * width, end - begin);
}

void weir_combine(const weir_team *team, const weir_collective *c, void *data,
                  const void *other, uint64_t elements) {
  combination all = {c, data, other, elements};
  int64_t items =
      (int64_t)((elements + ELEMENTS_OF_ITEM - 1) / ELEMENTS_OF_ITEM);
  if (items == 1)
    combine_items(&all, 0, 1, 0);
  else
    weir_parallel(team, items, 0, 4, combine_items, &all);
}
