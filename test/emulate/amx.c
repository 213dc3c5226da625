/* Executes the tile instructions of Intel AMX on processors without them. If
 * the processor and its system have them, programs use those, and only AMX_DENY
 * has an effect.
 *
 *   cc -O2 -shared -fPIC amx.c -o amx.so
 *   LD_PRELOAD=./amx.so program
 *
 * Elsewhere each such instruction is illegal: the handler of SIGILL decodes it,
 * executes it by the manual (Intel SDM, volume 2, "TDPBF16PS" and others), and
 * continues after it. The emulation also answers queries of the registers
 * (`syscall` below), so programs find them. Misuse ends the program with a
 * message, for example a tile that is not configured, or shapes that do not
 * match. amx_products() returns the number of tile products. With AMX_DENY in
 * the environment the system refuses the registers.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { GET_SUPPORTED = 0x1021, GET_PERMITTED, REQUEST, TILE_DATA = 18 };
enum { BYTES = 64, ROWS = 16, TILES = 8 };

/* The memory operand of LDTILECFG. */
typedef struct {
  uint8_t palette, start_row, zero[14];
  uint16_t bytes[16];
  uint8_t rows[16];
} config;

static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  config shape;
  uint8_t tile[TILES][ROWS][BYTES];
} state;

static atomic_ulong products;

static bool native; /* the tiles are the processor's own */

/* Returns -1 if they are not counted. */
long amx_products(void) { return native ? -1 : (long)products; }

static void fail(const char *what) {
  fprintf(stderr, "amx: %s\n", what);
  abort();
}

static void need(int truth, const char *what) {
  if (!truth)
    fail(what);
}

/* The sum of a float and an exact product, rounded once, to nearest even:
 * rounded to odd as a double, which has the bits to spare, then to a float. */
static float round_sum(float a, double b) {
  double sum = a + b;
  if (isfinite(sum)) {
    double rest = sum - a, error = (a - (sum - rest)) + (b - rest);
    int64_t bits;
    memcpy(&bits, &sum, 8);
    if (error != 0 && !(bits & 1)) {
      bits += (error > 0) == (sum > 0) ? 1 : -1;
      memcpy(&sum, &bits, 8);
    }
  }
  float result = (float)sum;
  return fabsf(result) < FLT_MIN ? copysignf(0, result) : result;
}

static float flushed(float value) {
  return fabsf(value) < FLT_MIN ? copysignf(0, value) : value;
}

static float of_bf16(const uint8_t *at) {
  uint32_t bits = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 24;
  float value;
  memcpy(&value, &bits, 4);
  return flushed(value);
}

/* All even products of a row and column, all odd ones, then both to the sum. */
static void multiply_bf16(int to, int a, int b) {
  int pairs = state.shape.bytes[a] / 4, columns = state.shape.bytes[to] / 4;
  for (int m = 0; m < state.shape.rows[to]; ++m) {
    float parts[2 * BYTES / 4] = {0}, out[BYTES / 4];
    for (int k = 0; k < pairs; ++k)
      for (int i = 0; i < 2; ++i) {
        double left = of_bf16(&state.tile[a][m][4 * k + 2 * i]);
        for (int n = 0; n < columns; ++n)
          parts[2 * n + i] =
              round_sum(parts[2 * n + i],
                        left * of_bf16(&state.tile[b][k][4 * n + 2 * i]));
      }
    memcpy(out, state.tile[to][m], BYTES);
    for (int n = 0; n < columns; ++n)
      out[n] =
          round_sum(flushed(out[n]), round_sum(parts[2 * n], parts[2 * n + 1]));
    memcpy(state.tile[to][m], out, BYTES);
  }
}

static void multiply_bytes(int to, int a, int b, int left_signed,
                           int right_signed) {
  int fours = state.shape.bytes[a] / 4, columns = state.shape.bytes[to] / 4;
  for (int m = 0; m < state.shape.rows[to]; ++m) {
    uint32_t out[BYTES / 4];
    memcpy(out, state.tile[to][m], BYTES);
    for (int k = 0; k < fours; ++k)
      for (int n = 0; n < columns; ++n)
        for (int i = 0; i < 4; ++i) {
          int left = state.tile[a][m][4 * k + i];
          int right = state.tile[b][k][4 * n + i];
          out[n] += (uint32_t)((left_signed ? (int8_t)left : left) *
                               (right_signed ? (int8_t)right : right));
        }
    memcpy(state.tile[to][m], out, BYTES);
  }
}

/* Elements beyond a tile's rows and columns become zero at each write. */
static void clear_rest(int tile) {
  for (int row = 0; row < ROWS; ++row) {
    int whole = row < state.shape.rows[tile] ? state.shape.bytes[tile] : 0;
    memset(&state.tile[tile][row][whole], 0, (size_t)(BYTES - whole));
  }
}

static void multiply(int opcode, int prefix, int to, int a, int b) {
  need(to != a && to != b && a != b, "a product of a tile with itself");
  need(state.shape.bytes[to] && state.shape.bytes[a] && state.shape.bytes[b],
       "a product of tiles that are not configured");
  need(state.shape.rows[to] == state.shape.rows[a] &&
           state.shape.bytes[to] == state.shape.bytes[b] &&
           state.shape.bytes[a] / 4 == state.shape.rows[b] &&
           state.shape.bytes[to] % 4 == 0 && state.shape.bytes[a] % 4 == 0,
       "a product of tiles whose shapes do not fit");
  if (opcode == 0x5c)
    multiply_bf16(to, a, b);
  else
    multiply_bytes(to, a, b, prefix >= 2, prefix == 1 || prefix == 3);
  clear_rest(to);
  ++products;
}

static void configure(const uint8_t *from) {
  config shape;
  memcpy(&shape, from, sizeof shape);
  memset(&state, 0, sizeof state);
  if (!shape.palette)
    return;
  need(shape.palette == 1, "a palette that there is not");
  for (int i = 0; i < 16; ++i) {
    need(i < TILES || (!shape.bytes[i] && !shape.rows[i]),
         "a tile that there is not");
    need(shape.bytes[i] <= BYTES && shape.rows[i] <= ROWS &&
             !shape.bytes[i] == !shape.rows[i],
         "a tile of a shape that there is not");
  }
  state.shape = shape;
}

/* Registers by their numbers in instructions. */
static const int registers[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

typedef struct {
  uint8_t *base;
  int64_t stride;
  const uint8_t *end; /* of the instruction */
} address;

/* ModRM, SIB and displacement; `ext` has the bits B and X of the prefix. */
static address decode_address(const greg_t *r, const uint8_t *at, int b,
                              int x) {
  address result = {0, 0, 0};
  int mod = *at >> 6, base = *at & 7;
  ++at;
  int64_t value = 0;
  int relative = 0;
  if (base == 4) {
    int sib = *at++, index = (sib >> 3 & 7) | x << 3;
    base = sib & 7;
    if (index != 4)
      result.stride = (int64_t)((uint64_t)r[registers[index]] << (sib >> 6));
  } else if (base == 5 && mod == 0) {
    relative = 1;
  }
  int bare = base == 5 && mod == 0;
  if (!bare)
    value = r[registers[base | b << 3]];
  if (mod == 1) {
    value += (int8_t)*at++;
  } else if (mod == 2 || bare) {
    int32_t offset;
    memcpy(&offset, at, 4);
    at += 4;
    value += offset;
  }
  if (relative)
    value += (int64_t)(intptr_t)at;
  result.base = (uint8_t *)(intptr_t)value;
  result.end = at;
  return result;
}

static void move(int store, int tile, address where) {
  need(state.shape.bytes[tile] != 0, "a move of a tile that is not configured");
  for (int row = 0; row < state.shape.rows[tile]; ++row) {
    uint8_t *memory = where.base + row * where.stride;
    if (store)
      memcpy(memory, state.tile[tile][row], state.shape.bytes[tile]);
    else
      memcpy(state.tile[tile][row], memory, state.shape.bytes[tile]);
  }
  if (!store)
    clear_rest(tile);
}

/* Returns the next instruction, or null if this one is not of AMX. */
static const uint8_t *execute(const greg_t *r, const uint8_t *at) {
  /* VEX of three bytes, map 0F38, W0, L0. */
  if (at[0] != 0xc4 || (at[1] & 0x1f) != 2 || (at[2] & 0x84))
    return NULL;
  int prefix = at[2] & 3, v = ~(at[2] >> 3) & 15, opcode = at[3], modrm = at[4];
  int x = !(at[1] >> 6 & 1), b = !(at[1] >> 5 & 1);
  int mod = modrm >> 6, reg = modrm >> 3 & 7;
  if (opcode == 0x49 && prefix == 0 && modrm == 0xc0) { /* TILERELEASE */
    memset(&state, 0, sizeof state);
    return at + 5;
  }
  if (opcode == 0x49 && prefix == 3 && mod == 3 && !(modrm & 7)) {
    need(state.shape.bytes[reg] != 0, "TILEZERO of a tile not configured");
    memset(state.tile[reg], 0, sizeof state.tile[reg]);
    return at + 5;
  }
  if (opcode == 0x49 && prefix < 2 && mod != 3 && !reg) {
    address where = decode_address(r, at + 4, b, x);
    uint8_t *memory = where.base + where.stride; /* an index as usual */
    if (prefix)
      memcpy(memory, &state.shape, sizeof state.shape); /* STTILECFG */
    else
      configure(memory);
    return where.end;
  }
  if (opcode == 0x4b && prefix && mod != 3 && (modrm & 7) == 4) {
    address where = decode_address(r, at + 4, b, x);
    move(prefix == 2, reg, where); /* TILELOADD, TILELOADDT1; TILESTORED */
    return where.end;
  }
  if ((opcode == 0x5e || (opcode == 0x5c && prefix == 2)) && mod == 3 &&
      v < TILES) {
    multiply(opcode, prefix, reg, modrm & 7, v);
    return at + 5;
  }
  return NULL;
}

static void handle(int signal, siginfo_t *info, void *context) {
  (void)info;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  const uint8_t *next = execute(r, (const uint8_t *)(intptr_t)r[REG_RIP]);
  if (next) {
    r[REG_RIP] = (greg_t)(intptr_t)next;
    return;
  }
  struct sigaction plain = {.sa_handler = SIG_DFL};
  sigaction(signal, &plain, NULL);
}

/* The system itself. */
static long enter(long number, const long a[6]) {
  long result;
  register long r10 __asm__("r10") = a[3];
  register long r8 __asm__("r8") = a[4];
  register long r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10),
                     "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

__attribute__((constructor)) static void install(void) {
  unsigned a, b, c, d = 0;
  uint64_t supported = 0;
  long ask[6] = {GET_SUPPORTED, (long)(intptr_t)&supported};
  bool has = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 1);
  native = has && !enter(SYS_arch_prctl, ask) && (supported >> TILE_DATA & 1);
  if (native)
    return;
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  action.sa_sigaction = handle;
  sigaction(SIGILL, &action, NULL);
}

/* Replaces libc's: the system has the registers, and grants them. */
long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i)
    a[i] = va_arg(list, long);
  va_end(list);
  bool asks = number == SYS_arch_prctl && a[0] == REQUEST && a[1] == TILE_DATA;
  if (asks && getenv("AMX_DENY"))
    return -1;
  if (asks && !native)
    return 0;
  if (number == SYS_arch_prctl && !native &&
      (a[0] == GET_SUPPORTED || a[0] == GET_PERMITTED)) {
    *(uint64_t *)a[1] = (uint64_t)3 << (TILE_DATA - 1);
    return 0;
  }
  return enter(number, a);
}
