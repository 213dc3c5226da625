// This is the C++17 class of a function with many tensors.
#include "many.hpp"

int main() {
  auto made = many::model::create();
  float tensors[201][2] = {};
  void *all[201];
  tensors[0][0] = 1;
  tensors[0][1] = -1;
  for (int i = 0; i < 201; ++i)
    all[i] = tensors[i];
  weir::result<void> done = made.value().run(all);
  std::printf("%d: %g %g\n", done.status(), double(tensors[200][0]),
              double(tensors[200][1]));
  return !done;
}
