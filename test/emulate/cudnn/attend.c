// Recognizes graphs that are attentions, and computes them.
//
// Like cuDNN 9.19, it recognizes an attention by all of its operations: a
// product, a scale, an optional mask, the softmax of rows step by step, which
// keeps the logarithm of each sum, and a product.

#include "cudnn.h"

#include <math.h>
#include <string.h>

// Reads the operations of a graph in order.
typedef struct reader {
  object *const *next, *const *end;
  tensor last; // the result of the last one
  int wrong;
} reader;

static const object *take(reader *r, int type) {
  if (r->next == r->end || (*r->next)->type != type) {
    r->wrong = 1;
    return NULL;
  }
  return *r->next++;
}

static tensor tensor_of(reader *r, const object *of, int attribute) {
  tensor t = {0};
  const object *descriptor = of ? part(of, attribute) : NULL;
  if (!descriptor || read_tensor(descriptor, &t))
    r->wrong = 1;
  return t;
}

static int is(const tensor *a, const tensor *b) {
  return a->number == b->number && same_sizes(a, b);
}

// An operation on elements of `on`; returns its second operand.
static tensor apply(reader *r, int mode, const tensor *on) {
  const object *of = take(r, OPERATE);
  tensor none = {0};
  if (!of || code(part(of, 750), 0) != mode) {
    r->wrong = 1;
    return none;
  }
  tensor x = tensor_of(r, of, 751);
  r->wrong |= !is(&x, on);
  r->last = tensor_of(r, of, 753);
  return part(of, 752) ? tensor_of(r, of, 752) : none;
}

static void reduce(reader *r, int mode, const tensor *on) {
  const object *of = take(r, REDUCE);
  tensor x = tensor_of(r, of, 1610);
  r->wrong |= !of || code(part(of, 1612), 1600) != mode || !is(&x, on);
  r->last = tensor_of(r, of, 1611);
}

static int comes_next(const reader *r, int mode) {
  return r->next != r->end && (*r->next)->type == OPERATE &&
         code(part(*r->next, 750), 0) == mode;
}

int read_attention(const object *graph, problem *to) {
  object *const *operations = attribute_of(graph, 801);
  reader r = {operations, operations + how_many(graph, 801), {0}, 0};
  const object *product = take(&r, MULTIPLY);
  to->q = tensor_of(&r, product, 1520);
  to->k = tensor_of(&r, product, 1521);
  r.last = tensor_of(&r, product, 1522);
  to->scale = apply(&r, MUL, &r.last);
  if (comes_next(&r, ADD))
    to->mask = apply(&r, ADD, &r.last);
  tensor scores = r.last;
  reduce(&r, MOST, &scores);
  tensor most = r.last, with = apply(&r, SUB, &scores);
  r.wrong |= !is(&with, &most);
  apply(&r, EXP, &r.last);
  tensor powers = r.last;
  reduce(&r, SUM, &powers);
  tensor sum = r.last;
  apply(&r, LOG, &sum);
  tensor logarithm = r.last;
  with = apply(&r, ADD, &most);
  r.wrong |= !is(&with, &logarithm);
  to->rows = r.last;
  with = apply(&r, DIV, &powers);
  r.wrong |= !is(&with, &sum);
  tensor weights = r.last;
  product = take(&r, MULTIPLY);
  tensor left = tensor_of(&r, product, 1520);
  to->v = tensor_of(&r, product, 1521);
  to->out = tensor_of(&r, product, 1522);
  r.wrong |= !is(&left, &weights) || r.next != r.end;
  const tensor *operands[] = {&to->q, &to->k, &to->v, &to->out};
  for (int i = 0; i < 4; ++i)
    r.wrong |= operands[i]->type != to->q.type || operands[i]->inside ||
               operands[i]->strides[i == 1 ? 2 : 3] != 1;
  r.wrong |= weights.type != to->q.type || !scores.inside || scores.type != 0 ||
             to->rows.inside || to->rows.type != 0 || !to->scale.of_host ||
             to->q.type == 0 || to->q.sizes[3] % 8 || to->v.sizes[3] % 8;
  return r.wrong ? refuse(NOT_SUPPORTED, graph, "no attention") : OK;
}

static double score(const attention *a, int64_t b, int64_t h, int64_t row,
                    int64_t column) {
  const problem *of = &a->of;
  double sum = 0;
  for (int64_t d = 0; d < of->q.sizes[3]; ++d)
    sum += load(&of->q, a->q, place(&of->q, b, h, row, d)) *
           load(&of->k, a->k, place(&of->k, b, h, d, column));
  sum *= (double)a->scale;
  if (!a->mask)
    return sum;
  const int64_t *all = of->mask.sizes; // a size of one is broadcast
  return sum + load(&of->mask, a->mask,
                    place(&of->mask, all[0] > 1 ? b : 0, all[1] > 1 ? h : 0,
                          all[2] > 1 ? row : 0, all[3] > 1 ? column : 0));
}

static void attend_row(const attention *a, int64_t b, int64_t h, int64_t row) {
  const problem *of = &a->of;
  int64_t columns = of->k.sizes[3];
  double most = -INFINITY, sum = 0;
  for (int64_t c = 0; c < columns; ++c)
    most = fmax(most, score(a, b, h, row, c));
  for (int64_t c = 0; c < columns; ++c)
    sum += exp(score(a, b, h, row, c) - most);
  store(&of->rows, a->rows, place(&of->rows, b, h, row, 0), most + log(sum));
  for (int64_t w = 0; w < of->v.sizes[3]; ++w) {
    double all = 0;
    for (int64_t c = 0; c < columns; ++c)
      all += exp(score(a, b, h, row, c) - most) / sum *
             load(&of->v, a->v, place(&of->v, b, h, c, w));
    store(&of->out, a->out, place(&of->out, b, h, row, w), all);
  }
}

void attend(void *data) {
  const attention *a = data;
  const int64_t *sizes = a->of.q.sizes;
  memset(a->workspace, 0xff, WANTED_WORKSPACE);
  for (int64_t b = 0; b < sizes[0]; ++b)
    for (int64_t h = 0; h < sizes[1]; ++h)
      for (int64_t row = 0; row < sizes[2]; ++row)
        attend_row(a, b, h, row);
}
