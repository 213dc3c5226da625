// A stand-in for libcudnn.so.9: convolves and attends on this processor, on
// streams and in graphs of the stand-in for the driver (cuda/), which also
// records its calls and lets them fail. It keeps what cuDNN asks of its
// callers: descriptors have the attributes that they need, of the right types,
// before they are finalized and none after, tensors fit each other, and
// operands are aligned as they were said to be.
//
// Of the ways to compute that it proposes first, one rounds the factors, one
// takes too much memory, and one turns out not to work.
//   WEIR_CUDNN_NO_MODE_A  if set, it has no proposals but when all else fails
//   WEIR_CUDNN_VERSION    what it says that it is (91900)

#ifndef WEIR_TEST_EMULATE_CUDNN_H
#define WEIR_TEST_EMULATE_CUDNN_H

#include <stddef.h>
#include <stdint.h>

enum {
  OK = 0,
  BAD_PARAM = 2000,
  NULL_POINTER = 2002,
  MISALIGNED = 2003,
  NOT_FINALIZED = 2004,
  SHAPE_MISMATCH = 2008,
  ATTRIBUTE_TYPE = 2010,
  NOT_SUPPORTED = 3000,
  FAILED = 5000
};
// Numbers of descriptors, types, and attributes, by the names in cudnn_graph.h.
enum { POINTWISE, CONVOLUTION, ENGINE, CONFIG, HEURISTIC, PLAN };
enum {
  CONVOLVE = 10,
  GRADIENT = 11, // by the filter
  OPERATE = 13,
  GRAPH = 15,
  PACK = 16,
  TENSOR = 17,
  PRODUCT = 18,
  MULTIPLY = 19,
  REDUCTION = 21,
  REDUCE = 22
};
enum { HANDLE, DATA, TRUTH, INT64, FLOAT, POINTER = 6, MODE, HEUR_MODE };
enum {
  NAN_MODE = 10,
  NOTE = 11,
  POINTWISE_MODE = 14,
  DESCRIPTOR = 15,
  REDUCTION_MODE = 18,
  CHAR = 24
};
enum { WANTED_WORKSPACE = 1024, MOST_DIMS = 8, RELU = 100 };
// Operations on elements, and on rows.
enum { ADD, MUL, DIV = 6, SUB = 9, EXP = 13, LOG = 15, SUM = 0, MOST = 3 };

typedef struct rule {
  int of, attribute, type, least, most, needed;
} rule;

enum { NUM_RULES = 54 };
extern const rule rules[NUM_RULES];

typedef struct tensor {
  int64_t number, type, alignment, inside, of_host, sizes[4], strides[4];
} tensor;

// A whole graph: sums, and what is done to them. Of a gradient the filter is
// what is made of the others.
typedef struct problem {
  tensor x, filter, bias, residual, y;    // of number 0: there is none
  tensor q, k, v, scale, mask, rows, out; // of an attention
  int64_t dilations[2], strides[2], before[2], relu, gradient, engine;
  double clip; // 0: there is no bound
} problem;

typedef struct object {
  int type, finalized;
  void *values[NUM_RULES];
  int64_t counts[NUM_RULES];
  problem of; // graphs, what is proposed for them, and plans
} object;

typedef struct handle {
  void *stream;
} handle;

// Only cuDNN's functions are seen from outside.
#pragma GCC visibility push(hidden)

// What cuda/ shows besides whether a call is to fail: the log, work of any
// kind, and how many objects are alive.
extern void (*note)(const char *, ...);
extern int (*issue)(void *, void (*)(void *), const void *, size_t);
extern void (*count)(long);
int enter(const char *name);
#define CALL                                                                   \
  do {                                                                         \
    if (enter(__func__))                                                       \
      return FAILED;                                                           \
  } while (0)

int refuse(int status, const object *of, const char *why);

// A descriptor of four dimensions.
int read_tensor(const object *of, tensor *to);
int same_sizes(const tensor *a, const tensor *b);
// A graph that begins with a product.
int read_attention(const object *graph, problem *to);
// Computes it, each operand where it is.
typedef struct attention {
  problem of;
  char *q, *k, *v, *mask, *rows, *out, *workspace;
  float scale;
} attention;
void attend(void *data); // an attention
int64_t place(const tensor *of, int64_t a, int64_t b, int64_t c, int64_t d);
double load(const tensor *of, const char *at, int64_t i);
void store(const tensor *of, char *at, int64_t i, double sum);

// Attributes as they were set, which the type has and the object too.
const int64_t *numbers(const object *of, int attribute);
int64_t how_many(const object *of, int attribute);
int32_t code(const object *of, int attribute);
// Null: it has none.
void *attribute_of(const object *of, int attribute);
const object *part(const object *of, int attribute);

#pragma GCC visibility pop

#endif // WEIR_TEST_EMULATE_CUDNN_H
