// Each macro enables a call that must not compile.
#include "digits.hpp"

#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

int main() {
  weir::result<demo::Digits> made = demo::Digits::create();
  demo::Digits &net = made.value();
  demo::Digits::inputs::image::array image{};
  std::vector<float> probabilities(10);
#ifdef SMALL
  float small[60] = {};
  return !net.run(small, probabilities);
#endif
#ifdef ARRAY
  std::array<float, 9> few{};
  return !net.run(image, few);
#endif
#ifdef SPAN
  return !net.run(std::span<float, 63>(image.data(), 63), probabilities);
#endif
#ifdef TYPE
  double wide[64] = {};
  return !net.run(wide, probabilities);
#endif
#ifdef POINTER
  return !net.run(image.data(), probabilities);
#endif
#ifdef CONST_OUTPUT
  const std::vector<float> fixed(10);
  return !net.run(image, fixed);
#endif
#ifdef TEMPORARY
  return !net.run(image, std::vector<float>(10));
#endif
#ifdef COPY
  demo::Digits copy = net;
#endif
#ifdef IGNORED
  net.run(image, probabilities);
#endif
  return !net.run(image, probabilities);
}
