// Random numbers of LLVM and libstdc++ without arc4random, which glibc has
// since 2.36: the tools also run on Ubuntu 22.04, which has 2.35. The linker
// redirects the calls to here (tools/CMakeLists.txt).

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t __wrap_arc4random() {
  uint32_t number;
  ssize_t count;
  do
    count = getrandom(&number, sizeof number, 0);
  while (count < 0 && errno == EINTR);
  // A request of so few bytes is never cut short; a kernel before 3.17 or a
  // sandbox refuses it.
  if (count != sizeof number)
    std::abort();
  return number;
}
