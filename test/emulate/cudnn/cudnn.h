// A stand-in for libcudnn.so.9 computes convolutions and attentions on this
// processor, on streams and in graphs of the stand-in for the driver (cuda/),
// which also records its calls and lets them fail. It checks cuDNN's
// requirements: descriptors have the necessary attributes, of the right types,
// before they are finalized and none after. Tensors must match, and operands
// must have their declared alignment.
//
// Of its first proposals, one rounds the factors, one needs too much memory,
// and one fails.
//   WEIR_CUDNN_NO_MODE_A  if set, it has only fallback proposals
//   WEIR_CUDNN_VERSION    its version (91900)

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

// A whole graph: sums, and the operations on them. The filter of a gradient is
// the result of the others.
typedef struct problem {
  tensor x, filter, bias, residual, y;    // number 0: there is none
  tensor q, k, v, scale, mask, rows, out; // of an attention
  int64_t dilations[2], strides[2], before[2], relu, gradient, engine;
  double clip; // 0: there is no bound
} problem;

typedef struct object {
  int type, finalized;
  void *values[NUM_RULES];
  int64_t counts[NUM_RULES];
  problem of; // graphs, their proposals, and plans
} object;

typedef struct handle {
  void *stream;
} handle;

// Only cuDNN's functions are visible from outside.
#pragma GCC visibility push(hidden)

// The interface of cuda/: the failing call, the log, work of any type, and the
// number of live objects.
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
// Computes it, with each operand in place.
typedef struct attention {
  problem of;
  char *q, *k, *v, *mask, *rows, *out, *workspace;
  float scale;
} attention;
void attend(void *data); // an attention
int64_t place(const tensor *of, int64_t a, int64_t b, int64_t c, int64_t d);
double load(const tensor *of, const char *at, int64_t i);
void store(const tensor *of, char *at, int64_t i, double sum);

// Attributes that were set; the type and the object have them.
const int64_t *numbers(const object *of, int attribute);
int64_t how_many(const object *of, int attribute);
int32_t code(const object *of, int attribute);
// Returns null if there is none.
void *attribute_of(const object *of, int attribute);
const object *part(const object *of, int attribute);

#pragma GCC visibility pop

#endif // WEIR_TEST_EMULATE_CUDNN_H
