// Descriptors and their attributes, and the proposals for a graph.

#define _GNU_SOURCE
#include "cudnn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rule rules[NUM_RULES] = {
    {POINTWISE, 0, POINTWISE_MODE, 1, 1, 1},
    {POINTWISE, 1, DATA, 1, 1, 1},
    {POINTWISE, 2, NAN_MODE, 1, 1, 0},
    {POINTWISE, 4, FLOAT, 1, 1, 0}, // the upper bound of a relu
    {CONVOLUTION, 100, DATA, 1, 1, 1},
    {CONVOLUTION, 101, MODE, 1, 1, 1},
    {CONVOLUTION, 102, INT64, 1, 3, 1}, // dilations
    {CONVOLUTION, 103, INT64, 1, 3, 1}, // strides
    {CONVOLUTION, 104, INT64, 1, 3, 1}, // padding behind
    {CONVOLUTION, 105, INT64, 1, 3, 1}, // padding before
    {CONVOLUTION, 106, INT64, 1, 1, 1}, // number of dimensions
    {HEURISTIC, 200, HEUR_MODE, 1, 1, 1},
    {HEURISTIC, 201, DESCRIPTOR, 1, 1, 1},
    {PLAN, 400, HANDLE, 1, 1, 1},
    {PLAN, 401, DESCRIPTOR, 1, 1, 0},
    {PLAN, 405, CHAR, 1, 1 << 20, 0},
    {CONVOLVE, 700, FLOAT, 1, 1, 1},
    {CONVOLVE, 701, FLOAT, 1, 1, 1},
    {CONVOLVE, 702, DESCRIPTOR, 1, 1, 1},
    {CONVOLVE, 703, DESCRIPTOR, 1, 1, 1}, // filter
    {CONVOLVE, 704, DESCRIPTOR, 1, 1, 1}, // x
    {CONVOLVE, 705, DESCRIPTOR, 1, 1, 1}, // y
    {GRADIENT, 712, FLOAT, 1, 1, 1},
    {GRADIENT, 713, FLOAT, 1, 1, 1},
    {GRADIENT, 714, DESCRIPTOR, 1, 1, 1},
    {GRADIENT, 715, DESCRIPTOR, 1, 1, 1}, // filter
    {GRADIENT, 716, DESCRIPTOR, 1, 1, 1}, // x
    {GRADIENT, 717, DESCRIPTOR, 1, 1, 1}, // y
    {OPERATE, 750, DESCRIPTOR, 1, 1, 1},
    {OPERATE, 751, DESCRIPTOR, 1, 1, 1}, // x
    {OPERATE, 752, DESCRIPTOR, 1, 1, 0}, // the second operand
    {OPERATE, 753, DESCRIPTOR, 1, 1, 1}, // y
    {GRAPH, 800, HANDLE, 1, 1, 1},
    {GRAPH, 801, DESCRIPTOR, 1, 16, 1},
    {TENSOR, 900, INT64, 1, 1, 1}, // alignment
    {TENSOR, 901, DATA, 1, 1, 1},
    {TENSOR, 902, INT64, 1, MOST_DIMS, 1}, // sizes
    {TENSOR, 903, INT64, 1, MOST_DIMS, 1}, // strides
    {TENSOR, 906, INT64, 1, 1, 1},         // its number
    {TENSOR, 907, TRUTH, 1, 1, 0},         // whether it is virtual
    {TENSOR, 908, TRUTH, 1, 1, 0},         // whether it is in host memory
    {PACK, 1000, INT64, 1, 16, 1},
    {PACK, 1001, POINTER, 1, 16, 1},
    {PACK, 1003, POINTER, 1, 1, 1},
    {PRODUCT, 1500, DATA, 1, 1, 1},
    {MULTIPLY, 1520, DESCRIPTOR, 1, 1, 1},
    {MULTIPLY, 1521, DESCRIPTOR, 1, 1, 1},
    {MULTIPLY, 1522, DESCRIPTOR, 1, 1, 1}, // the result
    {MULTIPLY, 1523, DESCRIPTOR, 1, 1, 1},
    {REDUCTION, 1600, REDUCTION_MODE, 1, 1, 1},
    {REDUCTION, 1601, DATA, 1, 1, 1},
    {REDUCE, 1610, DESCRIPTOR, 1, 1, 1},
    {REDUCE, 1611, DESCRIPTOR, 1, 1, 1}, // the result
    {REDUCE, 1612, DESCRIPTOR, 1, 1, 1},
};

// The interface of cuda/: the failing call, the log, and work of any type.
static int (*planned)(const char *);
void (*note)(const char *, ...);
int (*issue)(void *, void (*)(void *), const void *, size_t);
void (*count)(long);

int enter(const char *name) {
  if (!planned) {
    void *driver = dlopen(getenv("WEIR_LIBCUDA"), RTLD_NOW);
    if (!driver)
      abort();
    *(void **)&note = dlsym(driver, "weir_cuda_note");
    *(void **)&issue = dlsym(driver, "weir_cuda_issue");
    *(void **)&count = dlsym(driver, "weir_cuda_count");
    *(void **)&planned = dlsym(driver, "weir_cuda_planned");
  }
  return planned(name) ? FAILED : OK;
}
int refuse(int status, const object *of, const char *why) {
  note("cudnn refuses descriptor %d: %s", of ? of->type : -1, why);
  return status;
}

size_t cudnnGetVersion(void) {
  const char *text = getenv("WEIR_CUDNN_VERSION");
  return text ? (size_t)atol(text) : 91900;
}

const char *cudnnGetErrorString(int status) {
  return status == NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
         : status == FAILED      ? "CUDNN_STATUS_EXECUTION_FAILED"
                                 : "CUDNN_STATUS_BAD_PARAM";
}

int cudnnCreate(handle **made) {
  CALL;
  note("cudnnCreate");
  *made = calloc(1, sizeof **made);
  count(1);
  return OK;
}

int cudnnDestroy(handle *gone) {
  CALL;
  free(gone);
  count(-1);
  return OK;
}

int cudnnSetStream(handle *of, void *stream) {
  CALL;
  of->stream = stream;
  return OK;
}

int cudnnBackendCreateDescriptor(int type, object **made) {
  CALL;
  *made = calloc(1, sizeof **made);
  (*made)->type = type;
  count(1);
  return OK;
}

int cudnnBackendDestroyDescriptor(object *gone) {
  CALL;
  for (int i = 0; i < NUM_RULES; ++i)
    free(gone->values[i]);
  free(gone);
  count(-1);
  return OK;
}

static size_t bytes_of(int type) {
  return type == TRUTH || type == CHAR ? 1
         : type == INT64 || type == POINTER || type == HANDLE ||
                 type == DESCRIPTOR
             ? 8
             : 4;
}

int cudnnBackendSetAttribute(object *of, int attribute, int type,
                             int64_t number, const void *elements) {
  CALL;
  if (of->finalized)
    return refuse(BAD_PARAM, of, "it is finalized");
  if (!elements)
    return refuse(NULL_POINTER, of, "no elements");
  for (int i = 0; i < NUM_RULES; ++i) {
    const rule *is = &rules[i];
    if (is->of != of->type || is->attribute != attribute)
      continue;
    if (is->type != type)
      return refuse(ATTRIBUTE_TYPE, of, "an attribute of another type");
    if (number < is->least || number > is->most)
      return refuse(BAD_PARAM, of, "too many elements of an attribute");
    if (type == DESCRIPTOR)
      for (int64_t k = 0; k < number; ++k)
        if (!((object *const *)elements)[k]->finalized)
          return refuse(NOT_FINALIZED, of, "what it is made of is not");
    free(of->values[i]);
    of->values[i] = malloc((size_t)number * bytes_of(type));
    memcpy(of->values[i], elements, (size_t)number * bytes_of(type));
    of->counts[i] = number;
    return OK;
  }
  return refuse(BAD_PARAM, of, "no such attribute");
}

static int find(const object *of, int attribute) {
  for (int i = 0; i < NUM_RULES; ++i)
    if (rules[i].of == of->type && rules[i].attribute == attribute)
      return i;
  abort();
}
const int64_t *numbers(const object *of, int attribute) {
  return of->values[find(of, attribute)];
}
int64_t how_many(const object *of, int attribute) {
  return of->counts[find(of, attribute)];
}
int32_t code(const object *of, int attribute) {
  return *(int32_t *)of->values[find(of, attribute)];
}
void *attribute_of(const object *of, int attribute) {
  return of->values[find(of, attribute)];
}
const object *part(const object *of, int attribute) {
  object **value = of->values[find(of, attribute)];
  return value ? *value : NULL;
}

static int propose(const object *of, int64_t room, int64_t *number,
                   object *const *configs) {
  int first = code(of, 200) == 3;
  int64_t there = !first ? 1 : getenv("WEIR_CUDNN_NO_MODE_A") ? 0 : 4;
  const int64_t *x = of->of.x.sizes, *w = of->of.filter.sizes;
  const int64_t *q = of->of.q.sizes, *k = of->of.k.sizes;
  if (of->of.q.number)
    note("cudnn proposes %ld for %ldx%ld heads of %ld from %ld to %ld, %ld "
         "wide%s alignment %ld",
         there, q[0], q[1], q[3], q[2], k[3], of->of.v.sizes[3],
         of->of.mask.number ? " mask" : "", of->of.q.alignment);
  else
    note("cudnn proposes %ld for %ldx%ldx%ldx%ld by %ld of %ldx%ldx%ld%s%s%s%s "
         "alignment %ld",
         there, x[0], x[2], x[3], x[1], w[0], w[2], w[3], w[1],
         of->of.gradient ? " gradient" : "", of->of.bias.number ? " bias" : "",
         of->of.residual.number ? " residual" : "",
         of->of.relu ? of->of.clip ? " clipped relu" : " relu" : "",
         of->of.x.alignment);
  *number = there;
  for (int64_t i = 0; i < there && i < room; ++i) {
    configs[i]->of = of->of;
    configs[i]->of.engine = first ? i : 4;
    configs[i]->finalized = 1;
  }
  return OK;
}

static int tell(const object *of, int64_t room, int64_t *number, char *to) {
  char text[2 * sizeof(problem) + 64];
  int at = snprintf(text, sizeof text, "{\"stand-in\": \"");
  for (size_t i = 0; i < sizeof(problem); ++i) {
    unsigned char byte = ((const unsigned char *)&of->of)[i];
    text[at++] = (char)('a' + byte / 16);
    text[at++] = (char)('a' + byte % 16);
  }
  text[at++] = '"';
  text[at++] = '}';
  *number = at;
  if (to)
    memcpy(to, text, (size_t)(at < room ? at : room));
  return OK;
}

int cudnnBackendGetAttribute(object *of, int attribute, int type, int64_t room,
                             int64_t *number, void *to) {
  CALL;
  // An engine config without options has the properties of its engine.
  if (of->type != ENGINE && !of->finalized)
    return refuse(NOT_FINALIZED, of, "it is asked before it is");
  if (of->type == HEURISTIC && attribute == 202 && type == DESCRIPTOR)
    return propose(of, room, number, to);
  if (of->type == CONFIG && attribute == 300 && type == DESCRIPTOR && room) {
    (*(object **)to)->of = of->of;
    *number = 1;
    return OK;
  }
  if (of->type == ENGINE && attribute == 1303 && type == NOTE && room) {
    *number = of->of.engine == 0;
    *(int32_t *)to = 0; // products on the units for matrices
    return OK;
  }
  if (of->type == PLAN && attribute == 402 && type == INT64 && room) {
    *(int64_t *)to = of->of.engine == 1 ? INT64_C(1) << 40 : WANTED_WORKSPACE;
    *number = 1;
    return OK;
  }
  if (of->type == PLAN && attribute == 405 && type == CHAR)
    return tell(of, room, number, to);
  return refuse(BAD_PARAM, of, "no such thing to ask");
}
