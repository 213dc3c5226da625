// The test uses the C++17 interface of a model with a dynamic dimension: no run
// allocates.
#include "sizes.hpp"

#include <vector>

static long allocations = 0;
static int failures = 0;

#define EXPECT(condition)                                                      \
  (condition)                                                                  \
      ? void()                                                                 \
      : (++failures, void(std::printf("%d: %s\n", __LINE__, #condition)))
// The linker redirects the allocations of the program and of the library to
// these functions.
#define COUNT(type, name, parameters, arguments)                               \
  extern "C" type __real_##name parameters;                                    \
  extern "C" type __wrap_##name parameters;                                    \
  type __wrap_##name parameters {                                              \
    ++allocations;                                                             \
    return __real_##name arguments;                                            \
  }
COUNT(void *, malloc, (std::size_t n), (n))
COUNT(void *, calloc, (std::size_t n, std::size_t size), (n, size))
COUNT(void *, realloc, (void *at, std::size_t n), (at, n))
COUNT(void *, aligned_alloc, (std::size_t align, std::size_t n), (align, n))
COUNT(void *, mmap,
      (void *at, std::size_t n, int protection, int flags, int file, long from),
      (at, n, protection, flags, file, from))
// operator new
COUNT(void *, _Znwm, (std::size_t n), (n))

using demo::Sizes;
using X = Sizes::inputs::x;
static_assert(X::dynamic && X::shape[0] == 8 && X::least[0] == 1);
static_assert(!Sizes::inputs::x_shape::dynamic &&
              Sizes::inputs::x_shape::elements == 2);

int main() {
  weir::result<Sizes> made = Sizes::create();
  EXPECT(made && allocations > 0);
  Sizes &net = *made;
  X::array x{};
  Sizes::outputs::y::array y;
  std::array<std::int64_t, 2> rows{3, 4}, found{};
  for (std::size_t i = 0; i < 12; ++i)
    x[i] = float(i / 4 + 1) * 0.75f;
  EXPECT(net.run(x, rows, y, found));
  EXPECT(!std::strcmp(X::dims[0], "batch") && found[0] == 3 && found[1] == 1);
  std::printf("%d rows: %g %g %g, room for %d\n", int(found[0]), double(y[0]),
              double(y[1]), double(y[2]), int(X::shape[0]));

  // Memory may be larger than the largest sizes need, but not smaller.
  std::vector<float> large(100);
  EXPECT(net.run(large, rows, y, found));
  std::vector<float> small(12);
  rows[0] = 9;
  weir::result<void> wrong = net.run(x, rows, y, found);
  EXPECT(wrong.status() == WEIR_ERR_CHECK);
  std::printf("%s\n", wrong.message());
  std::printf("%s\n", net.run(small, rows, y, found).message());

  allocations = 0;
  for (int i = 0; i < 100; ++i) {
    rows[0] = i % 8 + 1;
    EXPECT(net.run(x, rows, y, found) && found[0] == rows[0]);
    EXPECT(!net.run(small, rows, y, found));
    rows[0] = 9;
    EXPECT(!net.run(x, rows, y, found));
  }
  std::printf("%ld allocations in 300 runs\n", allocations);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
