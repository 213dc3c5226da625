/* Many threads create and destroy contexts at once; then the library is loaded
 * and unloaded many times. */
#include "affine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *info) {
  const weir_model_info *model = info;
  for (int i = 0; i < 20; ++i) {
    void *net;
    float x[4] = {1, 2, 3, 4}, y[4] = {0};
    void *tensors[2] = {x, y};
    if (model->create(NULL, NULL, &net))
      return info;
    for (int k = 0; k < 100; ++k)
      if (model->run(net, 0, tensors, 2) || y[3] != 16.5f)
        return info;
    model->destroy(net);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[8];
  int failed = argc != 2;
  for (int round = 0; round < 50 && !failed; ++round) {
    void *library = dlopen(argv[1], RTLD_NOW);
    const weir_model_info *(*info)(void);
    if (!library)
      return 2;
    *(void **)&info = dlsym(library, "affine_info");
    for (int i = 0; i < 8 && !round; ++i)
      pthread_create(&threads[i], NULL, work, (void *)info());
    for (int i = 0; i < 8 && !round; ++i) {
      void *bad;
      pthread_join(threads[i], &bad);
      failed |= bad != NULL;
    }
    failed |= work((void *)info()) != NULL;
    dlclose(library);
  }
  puts(failed ? "failed" : "all alike");
  return failed;
}
