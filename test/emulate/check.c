/* Compares each tile instruction with its definition, on various numbers. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  uint8_t palette, start, zero[14];
  uint16_t bytes[16];
  uint8_t rows[16];
} config;

enum { M = 5, PAIRS = 7, N = 9 };

static uint8_t a[M][64], b[PAIRS][64];
static uint32_t c[M][20], got[M][20];
static int failures;

static void check(int truth, const char *what) {
  if (!truth && ++failures)
    printf("wrong: %s\n", what);
}

static float of(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, 4);
  return value;
}

static float flush(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static void bf16(int m, int n, uint32_t *result) {
  float parts[2] = {0, 0}, sum;
  memcpy(&sum, &c[m][n], 4);
  for (int k = 0; k < PAIRS; ++k)
    for (int i = 0; i < 2; ++i) {
      uint16_t x, y;
      memcpy(&x, &a[m][4 * k + 2 * i], 2);
      memcpy(&y, &b[k][4 * n + 2 * i], 2);
      parts[i] = flush(fmaf(flush(of(x)), flush(of(y)), parts[i]));
    }
  sum = flush(flush(sum) + flush(parts[0] + parts[1]));
  memcpy(result, &sum, 4);
}

static uint32_t bytes(int m, int n, int left, int right) {
  uint32_t sum = c[m][n];
  for (int k = 0; k < 4 * PAIRS; ++k) {
    uint8_t x = a[m][k], y = b[k / 4][4 * n + k % 4];
    sum += (uint32_t)((left ? (int8_t)x : x) * (right ? (int8_t)y : y));
  }
  return sum;
}

#define PRODUCT(name)                                                          \
  __asm__ volatile(                                                            \
      "tileloadd (%0,%3,1), %%tmm0\n"                                          \
      "tileloaddt1 (%1,%4,1), %%tmm5\n"                                        \
      "tileloadd (%2,%4), %%tmm7\n" name " %%tmm7, %%tmm5, %%tmm0\n"           \
      "tilestored %%tmm0, 8(%5,%3)\n" ::"r"(c),                                \
      "r"(a), "r"(b), "r"((long)sizeof c[0]), "r"(64L), "r"((char *)got - 8)   \
      : "memory")

int main(void) {
  uint64_t granted = 0;
  check(!syscall(SYS_arch_prctl, 0x1021, &granted) && granted >> 18 & 1,
        "the system has no tiles");
  check(!syscall(SYS_arch_prctl, 0x1023, 18), "the system grants no tiles");
  check(syscall(SYS_getpid) == getpid(), "another system call");
  config shape = {.palette = 1}, read;
  shape.bytes[0] = shape.bytes[7] = 4 * N;
  shape.bytes[5] = 4 * PAIRS;
  shape.rows[0] = shape.rows[5] = M;
  shape.rows[7] = PAIRS;
  __asm__ volatile("ldtilecfg %0" ::"m"(shape));
  __asm__ volatile("sttilecfg %0" : "=m"(read));
  check(!memcmp(&shape, &read, sizeof shape), "the configuration");
  config pair[2] = {{0}, shape};
  __asm__ volatile("ldtilecfg (%0,%1,8)\n sttilecfg 8(%2,%1,4)" ::"r"(pair),
                   "r"(sizeof shape / 8), "r"((char *)&read - 8 - 32)
                   : "memory");
  check(!memcmp(&shape, &read, sizeof shape), "an address with an index");
  for (int round = 0; round < 300; ++round) {
    for (int k = 0; k < 64; ++k) {
      for (int m = 0; m < M; ++m)
        a[m][k] = (uint8_t)rand();
      for (int m = 0; m < PAIRS; ++m)
        b[m][k] = (uint8_t)rand();
    }
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        float sum = ldexpf((float)rand() / (float)RAND_MAX - 0.5f,
                           round % 3 ? 0 : rand() % 250 - 140);
        memcpy(&c[m][n], &sum, 4);
      }
    if (round % 3) /* magnitudes that affect a sum, or denormal ones */
      for (int k = 1; k < 64; k += 2) {
        for (int m = 0; m < M; ++m)
          a[m][k] = (uint8_t)((a[m][k] & 0x81) | (round % 3 == 1 ? 62 : 30));
        for (int m = 0; m < PAIRS; ++m)
          b[m][k] = (uint8_t)((b[m][k] & 0x81) | (round % 3 == 1 ? 62 : 34));
      }
    PRODUCT("tdpbf16ps");
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        uint32_t want;
        float x, y;
        bf16(m, n, &want);
        memcpy(&x, &want, 4);
        memcpy(&y, &got[m][n], 4);
        check(want == got[m][n] || (isnan(x) && isnan(y)), "tdpbf16ps");
      }
#define BYTES(name, left, right)                                               \
  PRODUCT(name);                                                               \
  for (int m = 0; m < M; ++m)                                                  \
    for (int n = 0; n < N; ++n)                                                \
  check(got[m][n] == bytes(m, n, left, right), name)
    BYTES("tdpbssd", 1, 1);
    BYTES("tdpbsud", 1, 0);
    BYTES("tdpbusd", 0, 1);
    BYTES("tdpbuud", 0, 0);
  }
  __asm__ volatile("tilezero %%tmm0\n tilestored %%tmm0, (%0,%1)" ::"r"(got),
                   "r"((long)sizeof c[0])
                   : "memory");
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      check(!got[m][n], "tilezero");
  check(!got[0][N], "a column past the tile");
  __asm__ volatile("tilerelease");
  __asm__ volatile("sttilecfg %0" : "=m"(read));
  check(!read.palette, "tilerelease");
  printf("%d failures\n", failures);
  return failures != 0;
}
