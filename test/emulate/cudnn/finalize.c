// Checks that descriptors are complete, and finds the computation of a graph.

#include "cudnn.h"

#include <string.h>

static int finalize_tensor(const object *of) {
  int64_t dims = how_many(of, 902), alignment = *numbers(of, 900);
  if (dims != how_many(of, 903) || dims < 3)
    return refuse(BAD_PARAM, of, "as many sizes as strides, three at least");
  for (int64_t i = 0; i < dims; ++i)
    if (numbers(of, 902)[i] < 1)
      return refuse(BAD_PARAM, of, "a size");
  return alignment < 1 || alignment & (alignment - 1)
             ? refuse(BAD_PARAM, of, "the alignment")
             : OK;
}

static int finalize_windows(const object *of) {
  int64_t dims = *numbers(of, 106);
  for (int attribute = 102; attribute < 106; ++attribute)
    if (how_many(of, attribute) != dims)
      return refuse(BAD_PARAM, of, "values for other dimensions");
  return code(of, 101) == 1 && code(of, 100) == 0
             ? OK
             : refuse(NOT_SUPPORTED, of, "another kind of sums");
}

int read_tensor(const object *of, tensor *to) {
  if (of->type != TENSOR || how_many(of, 902) != 4)
    return refuse(NOT_SUPPORTED, of, "a tensor of four dimensions is wanted");
  const char *inside = attribute_of(of, 907), *host = attribute_of(of, 908);
  *to = (tensor){*numbers(of, 906),
                 code(of, 901),
                 *numbers(of, 900),
                 inside && *inside,
                 host && *host,
                 {0},
                 {0}};
  memcpy(to->sizes, numbers(of, 902), sizeof to->sizes);
  memcpy(to->strides, numbers(of, 903), sizeof to->strides);
  return OK;
}

int same_sizes(const tensor *a, const tensor *b) {
  return !memcmp(a->sizes, b->sizes, sizeof a->sizes);
}

static int read_sums(const object *of, problem *to) {
  to->gradient = of->type == GRADIENT;
  int first = to->gradient ? 714 : 702; // both have them in the same order
  const object *how = part(of, first);
  if (read_tensor(part(of, first + 1), &to->filter) ||
      read_tensor(part(of, first + 2), &to->x) ||
      read_tensor(part(of, first + 3), &to->y) || *numbers(how, 106) != 2)
    return NOT_SUPPORTED;
  memcpy(to->dilations, numbers(how, 102), 16);
  memcpy(to->strides, numbers(how, 103), 16);
  memcpy(to->before, numbers(how, 105), 16);
  const int64_t *x = to->x.sizes, *w = to->filter.sizes, *y = to->y.sizes;
  int fits = x[0] == y[0] && w[0] == y[1] && x[1] % w[1] == 0 &&
             y[1] % (x[1] / w[1]) == 0;
  for (int i = 0; i < 2; ++i) {
    int64_t rest = x[2 + i] + to->before[i] + numbers(how, 104)[i] -
                   ((w[2 + i] - 1) * to->dilations[i] + 1);
    fits = fits && rest >= 0 && rest / to->strides[i] + 1 == y[2 + i];
  }
  return fits ? OK : refuse(SHAPE_MISMATCH, of, "sizes of a convolution");
}

static int finalize_operation(const object *of) {
  tensor x, b = {0}, y;
  int32_t mode = code(part(of, 750), 0);
  const object *with = part(of, 752);
  if (read_tensor(part(of, 751), &x) || read_tensor(part(of, 753), &y) ||
      (with && read_tensor(with, &b)))
    return NOT_SUPPORTED;
  int is_of_two = mode == ADD || mode == MUL || mode == DIV || mode == SUB;
  int is_of_one = mode == RELU || mode == EXP || mode == LOG;
  if ((!is_of_one && !is_of_two) || is_of_two != (with != NULL))
    return refuse(BAD_PARAM, of, "an operation with other operands");
  int fits = same_sizes(&x, &y);
  for (int i = 0; i < 4 && with; ++i)
    fits = fits && (b.sizes[i] == y.sizes[i] || b.sizes[i] == 1);
  return fits ? OK : refuse(SHAPE_MISMATCH, of, "sizes of an operation");
}

// Matrices come after two dimensions, and each row becomes an element.
static int finalize_product(const object *of) {
  tensor a, b, to;
  if (read_tensor(part(of, 1520), &a) || read_tensor(part(of, 1521), &b) ||
      read_tensor(part(of, 1522), &to))
    return NOT_SUPPORTED;
  int fits = a.sizes[3] == b.sizes[2] && a.sizes[2] == to.sizes[2] &&
             b.sizes[3] == to.sizes[3];
  for (int i = 0; i < 2; ++i)
    fits = fits && a.sizes[i] == to.sizes[i] && b.sizes[i] == to.sizes[i];
  return fits ? OK : refuse(SHAPE_MISMATCH, of, "sizes of a product");
}

static int finalize_reduction(const object *of) {
  tensor x, to;
  if (read_tensor(part(of, 1610), &x) || read_tensor(part(of, 1611), &to))
    return NOT_SUPPORTED;
  return !memcmp(x.sizes, to.sizes, 24) && to.sizes[3] == 1
             ? OK
             : refuse(SHAPE_MISMATCH, of, "sizes of a reduction");
}

// Sums, and one operation after another on the previous result.
static int finalize_graph(object *of) {
  object *const *operations = attribute_of(of, 801);
  int kind = operations[0]->type;
  if (kind == MULTIPLY)
    return read_attention(of, &of->of);
  if ((kind != CONVOLVE && kind != GRADIENT) ||
      read_sums(operations[0], &of->of))
    return NOT_SUPPORTED;
  if (kind == GRADIENT)
    return how_many(of, 801) == 1 && !of->of.filter.inside && !of->of.y.inside
               ? OK
               : refuse(NOT_SUPPORTED, of, "operations behind a gradient");
  for (int64_t i = 1; i < how_many(of, 801); ++i) {
    const object *operation = operations[i];
    tensor x, b, last = of->of.y;
    if (operation->type != OPERATE || !last.inside)
      return refuse(NOT_SUPPORTED, of, "an operation on no sums");
    read_tensor(part(operation, 751), &x);
    read_tensor(part(operation, 753), &of->of.y);
    if (x.number != last.number)
      return refuse(NOT_SUPPORTED, of, "operations that are no chain");
    if (!part(operation, 752)) {
      const float *most = attribute_of(part(operation, 750), 4);
      of->of.relu = 1;
      of->of.clip = most ? *most : 0;
      continue;
    }
    read_tensor(part(operation, 752), &b);
    if (of->of.relu || (of->of.residual.number))
      return refuse(NOT_SUPPORTED, of, "operations in another order");
    *(same_sizes(&b, &of->of.y) ? &of->of.residual : &of->of.bias) = b;
  }
  return of->of.y.inside ? refuse(NOT_SUPPORTED, of, "no result") : OK;
}

// The engines 0 to 3, or 4: see above.
static int finalize_plan(object *of) {
  static const char begin[] = "{\"stand-in\": \"";
  const object *config = part(of, 401);
  const char *json = attribute_of(of, 405);
  if (config) {
    of->of = config->of;
    if (of->of.engine == 2)
      return NOT_SUPPORTED;
    note("cudnn plans engine %ld", of->of.engine);
    return OK;
  }
  if (!json)
    return refuse(BAD_PARAM, of, "neither an engine nor a text");
  size_t head = sizeof begin - 1, size = 2 * sizeof(problem);
  if ((size_t)how_many(of, 405) != head + size + 2 ||
      memcmp(json, begin, head) != 0)
    return refuse(BAD_PARAM, of, "a text that is not of a plan");
  for (size_t i = 0; i < sizeof(problem); ++i)
    ((char *)&of->of)[i] = (char)((json[head + 2 * i] - 'a') * 16 +
                                  (json[head + 2 * i + 1] - 'a'));
  note("cudnn reads engine %ld", of->of.engine);
  return OK;
}

int cudnnBackendFinalize(object *of) {
  CALL;
  for (int i = 0; i < NUM_RULES; ++i)
    if (rules[i].of == of->type && rules[i].needed && !of->values[i])
      return refuse(BAD_PARAM, of, "an attribute is missing");
  int status = OK;
  problem sums = {0};
  if (of->type == TENSOR)
    status = finalize_tensor(of);
  else if (of->type == CONVOLUTION)
    status = finalize_windows(of);
  else if (of->type == CONVOLVE || of->type == GRADIENT)
    status = read_sums(of, &sums);
  else if (of->type == MULTIPLY)
    status = finalize_product(of);
  else if (of->type == REDUCE)
    status = finalize_reduction(of);
  else if (of->type == OPERATE)
    status = finalize_operation(of);
  else if (of->type == GRAPH)
    status = finalize_graph(of);
  else if (of->type == PLAN)
    status = finalize_plan(of);
  else if (of->type == HEURISTIC)
    of->of = part(of, 201)->of;
  else if (of->type == PACK && how_many(of, 1000) != how_many(of, 1001))
    status = refuse(BAD_PARAM, of, "as many numbers as addresses");
  if (of->type == PACK && !status)
    note("cudnn packs %ld addresses", how_many(of, 1001));
  of->finalized = !status;
  return status;
}
