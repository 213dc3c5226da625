// NumPy's .npy files, version 1 to 3, every length checked before it is used.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/array.h"
#include "tools/run/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *code;
  weir_dtype dtype;
} codes[] = {{"f2", WEIR_F16}, {"V2", WEIR_BF16}, {"f4", WEIR_F32},
             {"f8", WEIR_F64}, {"b1", WEIR_BOOL}, {"i1", WEIR_I8},
             {"i2", WEIR_I16}, {"i4", WEIR_I32},  {"i8", WEIR_I64},
             {"u1", WEIR_U8},  {"u2", WEIR_U16},  {"u4", WEIR_U32},
             {"u8", WEIR_U64}};

static int fail(char *error, size_t size, const char *path, const char *why) {
  snprintf(error, size, "'%s': %s", path, why);
  return FAULT;
}

/// What the system refused.
static int refused(char *error, size_t size, const char *path) {
  int why = errno;
  fail(error, size, path, strerror(why));
  return status_of_error(why);
}

static int no_memory(char *error, size_t size, const char *path) {
  fail(error, size, path, "not enough memory");
  return LIMIT;
}

/// The text after `key`, a colon and spaces, of the header's dictionary.
static const char *field(const char *header, const char *key) {
  const char *at = strstr(header, key);
  if (!at)
    return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':')
    ++at;
  return *at ? at : NULL;
}

static int parse_header(const char *header, struct array *array, int *swapped,
                        const char **why) {
  const char *descr = field(header, "'descr'");
  const char *order = field(header, "'fortran_order'");
  const char *shape = field(header, "'shape'");
  *why = "the header lacks descr, fortran_order or shape";
  if (!descr || !order || !shape)
    return -1;
  *why = "its element type is not supported";
  if (*descr != '\'' || !strchr("<>|=", descr[1]) || !descr[1])
    return -1;
  *swapped = descr[1] == '>';
  size_t i, count = sizeof codes / sizeof *codes;
  for (i = 0; i < count; ++i)
    if (!strncmp(descr + 2, codes[i].code, 2) && descr[4] == '\'')
      break;
  if (i == count)
    return -1;
  array->dtype = codes[i].dtype;
  *why = "its shape is malformed";
  if (*shape++ != '(')
    return -1;
  array->rank = 0;
  for (;;) {
    while (*shape == ' ' || *shape == ',')
      ++shape;
    if (*shape == ')')
      break;
    char *end;
    errno = 0;
    long long dim = strtoll(shape, &end, 10);
    if (end == shape || errno || dim < 0 || array->rank == MAX_RANK)
      return -1;
    array->shape[array->rank++] = dim;
    shape = end + (*end == 'L'); // as Python 2 wrote long numbers
  }
  *why = "it is in Fortran order: save a C-contiguous copy";
  return !strncmp(order, "True", 4) && array->rank > 1 ? -1 : 0;
}

/// 0, or an exit status: what is shorter is as `short_of` says.
static int read_all(int file, void *to, size_t bytes, const char *path,
                    const char *short_of, char *error, size_t size) {
  for (size_t done = 0; done < bytes;) {
    ssize_t got = read(file, (char *)to + done, bytes - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return refused(error, size, path);
    if (got == 0)
      return fail(error, size, path, short_of);
    done += (size_t)got;
  }
  return 0;
}

static void swap(struct array *array) {
  size_t width = dtype_bytes(array->dtype);
  unsigned char *p = array->data;
  for (int64_t i = 0; i < array->elements; ++i, p += width)
    for (size_t k = 0; k < width / 2; ++k) {
      unsigned char keep = p[k];
      p[k] = p[width - 1 - k];
      p[width - 1 - k] = keep;
    }
}

/// Any byte but 0 is true, which weir writes as 1.
static void settle_booleans(struct array *array) {
  unsigned char *p = array->data;
  for (int64_t i = 0; array->dtype == WEIR_BOOL && i < array->elements; ++i)
    p[i] = p[i] != 0;
}

/// Reads up to the data, whose size the file is found to hold.
static int read_start(int file, const char *path, struct array *array,
                      int *swapped, off_t *data, char *error, size_t size) {
  struct stat info;
  if (fstat(file, &info))
    return refused(error, size, path);
  if (!S_ISREG(info.st_mode))
    return fail(error, size, path, "not a regular file");
  unsigned char start[12];
  int status = read_all(file, start, 10, path, "not a .npy file", error, size);
  if (status)
    return status;
  if (memcmp(start, "\x93NUMPY", 6) || start[6] < 1 || start[6] > 3)
    return fail(error, size, path, "not a .npy file");
  size_t length = start[8] | (size_t)start[9] << 8;
  if (start[6] > 1) {
    if ((status =
             read_all(file, start + 10, 2, path, "truncated", error, size)))
      return status;
    length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (length > 1 << 20)
    return fail(error, size, path, "its header is too long");
  char *header = malloc(length + 1);
  if (!header)
    return no_memory(error, size, path);
  if ((status =
           read_all(file, header, length, path, "truncated", error, size))) {
    free(header);
    return status;
  }
  header[length] = 0;
  const char *why;
  int bad = parse_header(header, array, swapped, &why);
  free(header);
  if (bad)
    return fail(error, size, path, why);
  // Before any memory is taken for what a hostile header claims.
  *data = lseek(file, 0, SEEK_CUR);
  if (*data < 0)
    return refused(error, size, path);
  int64_t bytes = (int64_t)dtype_bytes(array->dtype);
  for (int i = 0; i < array->rank; ++i)
    if (__builtin_mul_overflow(bytes, array->shape[i], &bytes))
      return fail(error, size, path, "its shape is too large");
  if (bytes > info.st_size - *data)
    return fail(error, size, path, "truncated");
  array->bytes = (size_t)bytes;
  array->elements = bytes / (int64_t)dtype_bytes(array->dtype);
  return 0;
}

static int read_open(int file, const char *path, struct array *array,
                     char *error, size_t size) {
  int swapped;
  off_t at;
  int status = read_start(file, path, array, &swapped, &at, error, size);
  if (status)
    return status;
  if (array_allocate(array))
    return no_memory(error, size, path);
  if ((status = read_all(file, array->data, array->bytes, path, "truncated",
                         error, size))) {
    array_free(array);
    return status;
  }
  if (swapped)
    swap(array);
  settle_booleans(array);
  return 0;
}

/// Not blocking: a FIFO must not hang us.
static int open_file(const char *path, int *file, char *error, size_t size) {
  *file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return *file < 0 ? refused(error, size, path) : 0;
}

int npy_map(const char *path, struct array *array, char *error, size_t size) {
  int file, swapped;
  off_t at;
  int status = open_file(path, &file, error, size);
  if (status)
    return status;
  status = read_start(file, path, array, &swapped, &at, error, size);
  if (!status && swapped && dtype_bytes(array->dtype) > 1)
    status = fail(error, size, path, "its bytes are in the other order");
  if (!status) {
    // The data lies behind the header, which is mapped with it.
    array->mapped = (size_t)at + array->bytes;
    array->mapping = mmap(NULL, array->mapped, PROT_READ, MAP_PRIVATE, file, 0);
    if (array->mapping == MAP_FAILED) {
      array->mapping = NULL;
      status = refused(error, size, path);
    } else {
      array->data = (char *)array->mapping + at;
    }
  }
  close(file);
  return status;
}

void array_unmap(struct array *array) {
  if (array->mapping)
    munmap(array->mapping, array->mapped);
  array->mapping = array->data = NULL;
}

int npy_read(const char *path, struct array *array, char *error, size_t size) {
  int file, status = open_file(path, &file, error, size);
  if (status)
    return status;
  status = read_open(file, path, array, error, size);
  close(file);
  return status;
}

int npy_write(struct whole *to, const char *path, const struct array *array,
              char *error, size_t size) {
  // NumPy has no bf16: it is written as f32, which holds each value of it.
  if (array->dtype == WEIR_BF16) {
    struct array wide = *array;
    wide.dtype = WEIR_F32;
    if (array_allocate(&wide))
      return no_memory(error, size, path);
    for (int64_t i = 0; i < array->elements; ++i)
      array_set(&wide, i, array_get(array, i));
    int status = npy_write(to, path, &wide, error, size);
    array_free(&wide);
    return status;
  }
  const char *code = "";
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    if (codes[i].dtype == array->dtype)
      code = codes[i].code;
  char header[128 + MAX_RANK * 21];
  size_t at =
      (size_t)snprintf(header, sizeof header,
                       "{'descr': '%s%s', 'fortran_order': False, 'shape': (",
                       dtype_bytes(array->dtype) == 1 ? "|" : "<", code);
  for (int i = 0; i < array->rank; ++i)
    at += (size_t)snprintf(header + at, sizeof header - at, "%lld,%s",
                           (long long)array->shape[i],
                           i + 1 < array->rank ? " " : "");
  at += (size_t)snprintf(header + at, sizeof header - at, "), }");
  size_t total = (10 + at + 1 + 63) / 64 * 64;
  unsigned char start[10] = "\x93NUMPY\x01";
  start[7] = 0;
  start[8] = (unsigned char)((total - 10) & 255);
  start[9] = (unsigned char)((total - 10) >> 8);
  if (whole_begin(to, path))
    return refused(error, size, path);
  fwrite(start, 1, sizeof start, to->file);
  fwrite(header, 1, at, to->file);
  for (size_t i = 10 + at; i + 1 < total; ++i)
    fputc(' ', to->file);
  fputc('\n', to->file);
  // Of data that are larger than a stream's buffer this says why they fail.
  if (fwrite(array->data, 1, array->bytes, to->file) != array->bytes) {
    int why = errno;
    whole_drop(to);
    errno = why;
    return refused(error, size, path);
  }
  return whole_end(to) ? refused(error, size, path) : 0;
}
