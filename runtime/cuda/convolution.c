// Convolutions by cuDNN. How each is computed is chosen at create, or was by
// another process before; a run only issues it.

#include "runtime/cuda/convolution.h"
#include "runtime/libc.h"

static const weir_gpu_library cudnn = {
    "this model convolves with cuDNN 9",
    "WEIR_LIBCUDNN",
    {"libcudnn.so.9", WEIR_LIB_FOLDER "libcudnn.so.9",
     "/usr/lib64/libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9"}};
// Of these many ways the library is asked for, the best first.
enum { MOST_CHOICES = 32, MOST_NOTES = 16 };

weir_status weir_dnn_check_call(weir_gpu *gpu, weir_dnn_status result,
                                const char *call) {
  if (!result)
    return WEIR_OK;
  weir_gpu_number number;
  const char *text = gpu->dnn.cudnnGetErrorString(result);
  return WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU, call, " failed with ",
                       weir_gpu_decimal(&number, (uint32_t)result), " (",
                       text ? text : "unknown to this cuDNN", ")");
}

weir_status weir_dnn_set(weir_gpu *gpu, weir_dnn_object object,
                         int32_t attribute, int32_t type, int64_t count,
                         const void *elements) {
  return WEIR_DNN_CALL(gpu, cudnnBackendSetAttribute, object, attribute, type,
                       count, elements);
}

weir_status weir_dnn_set_object(weir_gpu *gpu, weir_dnn_object object,
                                int32_t attribute, weir_dnn_object value) {
  return weir_dnn_set(gpu, object, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR_, 1,
                      &value);
}

weir_status weir_dnn_make(weir_gpu *gpu, weir_gpu_conv_plan *plan, int32_t type,
                          weir_dnn_object *object) {
  *object = NULL;
  if (plan->num_made == WEIR_DNN_OBJECTS)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                         "a convolution has too many parts for cuDNN");
  weir_status status =
      WEIR_DNN_CALL(gpu, cudnnBackendCreateDescriptor, type, object);
  if (!status)
    plan->made[plan->num_made++] = *object;
  return status;
}

static weir_status load(weir_gpu *gpu) {
  void *library;
  weir_status status = weir_gpu_open(gpu, &cudnn, &library);
  if (status)
    return status;
#define WEIR_DNN_LOOK_UP(name)                                                 \
  *(void **)&gpu->dnn.name = dlsym(library, #name);                            \
  if (!gpu->dnn.name)                                                          \
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER,                                 \
                         "the cuDNN that was found has no " #name);
#define WEIR_DNN_FIND(name, parameters) WEIR_DNN_LOOK_UP(name)
  WEIR_DNN_FUNCTIONS(WEIR_DNN_FIND)
  WEIR_DNN_LOOK_UP(cudnnGetVersion)
  WEIR_DNN_LOOK_UP(cudnnGetErrorString)
#undef WEIR_DNN_FIND
#undef WEIR_DNN_LOOK_UP
  return WEIR_DNN_CALL(gpu, cudnnCreate, &gpu->dnn_handle);
}

static void drop(weir_gpu *gpu, weir_dnn_object object) {
  if (object)
    gpu->dnn.cudnnBackendDestroyDescriptor(object);
}

int weir_dnn_fits(weir_gpu *gpu, const weir_gpu_conv *conv,
                  weir_dnn_object plan) {
  int64_t count = 0, bytes = -1;
  return !gpu->dnn.cudnnBackendGetAttribute(
             plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE_, CUDNN_TYPE_INT64_,
             1, &count, &bytes) &&
         bytes >= 0 && (uint64_t)bytes <= conv->workspace_bytes;
}

// Whether a way to compute keeps what the model is promised: the same result
// each time, sums of f32, and factors as they are.
static int is_exact(weir_gpu *gpu, const weir_gpu_conv *conv,
                    weir_dnn_object choice) {
  weir_dnn_object engine = NULL;
  int32_t notes[MOST_NOTES];
  int64_t count = 0;
  const weir_dnn *dnn = &gpu->dnn;
  if (dnn->cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_, &engine))
    return 0;
  int known =
      !dnn->cudnnBackendGetAttribute(choice, CUDNN_ATTR_ENGINECFG_ENGINE_,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR_, 1, &count,
                                     &engine) &&
      !dnn->cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE_,
                                     CUDNN_TYPE_NUMERICAL_NOTE_, MOST_NOTES,
                                     &count, notes);
  drop(gpu, engine);
  int rounds = conv->dtype == WEIR_F32 && !(conv->flags & WEIR_CONV_TF32);
  for (int64_t i = 0; i < count && i < MOST_NOTES && known; ++i)
    known = notes[i] != CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS_ &&
            notes[i] != CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION_ &&
            notes[i] != CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC_ &&
            !(rounds && notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE_);
  return known;
}

// A plan of one way to compute; null: it is none for this device.
static weir_dnn_object try_choice(weir_gpu *gpu, const weir_gpu_conv *conv,
                                  weir_dnn_object choice) {
  weir_dnn_object plan = NULL;
  const weir_dnn *dnn = &gpu->dnn;
  if (!is_exact(gpu, conv, choice) ||
      dnn->cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_, &plan))
    return NULL;
  if (!dnn->cudnnBackendSetAttribute(
          plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG_,
          CUDNN_TYPE_BACKEND_DESCRIPTOR_, 1, &choice) &&
      !dnn->cudnnBackendSetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE_,
                                     CUDNN_TYPE_HANDLE_, 1, &gpu->dnn_handle) &&
      !dnn->cudnnBackendFinalize(plan) && weir_dnn_fits(gpu, conv, plan))
    return plan;
  drop(gpu, plan);
  return NULL;
}

// The first of what the library proposes that can be used; none is no failure.
static void choose(weir_gpu *gpu, const weir_gpu_conv *conv,
                   weir_dnn_object graph, int32_t mode,
                   weir_gpu_conv_plan *plan) {
  weir_dnn_object heuristic = NULL, choices[MOST_CHOICES] = {NULL};
  const weir_dnn *dnn = &gpu->dnn;
  int64_t count = 0, made = 0;
  if (!dnn->cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINEHEUR_,
                                         &heuristic) &&
      !dnn->cudnnBackendSetAttribute(
          heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH_,
          CUDNN_TYPE_BACKEND_DESCRIPTOR_, 1, &graph) &&
      !dnn->cudnnBackendSetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE_,
                                     CUDNN_TYPE_HEUR_MODE_, 1, &mode) &&
      !dnn->cudnnBackendFinalize(heuristic)) {
    while (made < MOST_CHOICES && !dnn->cudnnBackendCreateDescriptor(
                                      CUDNN_BACKEND_ENGINECFG_, &choices[made]))
      ++made;
    if (dnn->cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS_,
                                      CUDNN_TYPE_BACKEND_DESCRIPTOR_, made,
                                      &count, choices))
      count = 0;
  }
  for (int64_t i = 0; i < made; ++i) {
    if (i < count && !plan->plan &&
        (plan->plan = try_choice(gpu, conv, choices[i])))
      plan->made[plan->num_made++] = choices[i]; // the plan's from now on
    else
      drop(gpu, choices[i]);
  }
  drop(gpu, heuristic);
}

static weir_status no_way(weir_gpu *gpu, const weir_gpu_conv *conv) {
  weir_gpu_number n, h, w, c, outputs, y, x, bytes;
  return WEIR_GPU_FAIL(
      gpu, WEIR_ERR_GPU, "cuDNN has no way to ",
      conv->flags & WEIR_CONV_GRADIENT ? "find the gradient by the filter of "
                                       : "convolve ",
      weir_gpu_decimal(&n, (uint64_t)conv->images), "x",
      weir_gpu_decimal(&h, (uint64_t)conv->size[0]), "x",
      weir_gpu_decimal(&w, (uint64_t)conv->size[1]), "x",
      weir_gpu_decimal(&c, (uint64_t)conv->inputs), " with ",
      weir_gpu_decimal(&outputs, (uint64_t)conv->outputs), " filters of ",
      weir_gpu_decimal(&y, (uint64_t)conv->window[0]), "x",
      weir_gpu_decimal(&x, (uint64_t)conv->window[1]), " within ",
      weir_gpu_in_bytes(&bytes, conv->workspace_bytes), " of workspace");
}

static weir_status plan_one(weir_gpu *gpu, const weir_gpu_conv *conv,
                            weir_gpu_conv_plan *plan) {
  if (weir_dnn_recall(gpu, conv, plan))
    return WEIR_OK;
  weir_dnn_object graph;
  weir_status status = weir_dnn_describe(gpu, conv, plan, &graph);
  if (status)
    return status;
  choose(gpu, conv, graph, CUDNN_HEUR_MODE_A_, plan);
  if (!plan->plan)
    choose(gpu, conv, graph, CUDNN_HEUR_MODE_FALLBACK_, plan);
  if (!plan->plan)
    return no_way(gpu, conv);
  weir_dnn_keep(gpu, conv, plan);
  return WEIR_OK;
}

weir_status weir_gpu_plan_convs(weir_gpu *gpu) {
  if (!gpu->model->num_convs)
    return WEIR_OK;
  weir_status status = load(gpu);
  for (uint64_t i = 0; i < gpu->model->num_convs && !status; ++i)
    status = plan_one(gpu, &gpu->model->convs[i], &gpu->conv_plans[i]);
  return status;
}

void weir_gpu_free_convs(weir_gpu *gpu) {
  if (!gpu->dnn_handle)
    return;
  for (uint64_t i = 0; i < gpu->model->num_convs; ++i) {
    weir_gpu_conv_plan *plan = &gpu->conv_plans[i];
    drop(gpu, plan->pack);
    drop(gpu, plan->plan);
    while (plan->num_made)
      drop(gpu, plan->made[--plan->num_made]);
  }
  gpu->dnn.cudnnDestroy(gpu->dnn_handle);
}

// Makes the plan's pack one of these addresses, the null ones of no tensor.
static weir_status pack(weir_gpu *gpu, weir_gpu_conv_plan *plan,
                        void *const at[WEIR_DNN_OPERANDS]) {
  int64_t numbers[WEIR_DNN_OPERANDS], count = 0;
  void *given[WEIR_DNN_OPERANDS], *workspace = (void *)gpu->workspace;
  if (plan->pack && !memcmp(plan->at, at, sizeof plan->at))
    return WEIR_OK;
  for (int i = 0; i < WEIR_DNN_OPERANDS; ++i)
    if (at[i]) {
      numbers[count] = i + 1;
      given[count++] = at[i];
    }
  drop(gpu, plan->pack);
  plan->pack = NULL;
  weir_dnn_object made = NULL;
  weir_status status = WEIR_DNN_CALL(gpu, cudnnBackendCreateDescriptor,
                                     CUDNN_BACKEND_VARIANT_PACK_, &made);
  if (!status)
    status = weir_dnn_set(gpu, made, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS_,
                          CUDNN_TYPE_INT64_, count, numbers);
  if (!status)
    status = weir_dnn_set(gpu, made, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS_,
                          CUDNN_TYPE_VOID_PTR_, count, given);
  if (!status)
    status = weir_dnn_set(gpu, made, CUDNN_ATTR_VARIANT_PACK_WORKSPACE_,
                          CUDNN_TYPE_VOID_PTR_, 1, &workspace);
  if (!status)
    status = WEIR_DNN_CALL(gpu, cudnnBackendFinalize, made);
  if (status) {
    drop(gpu, made);
    return status;
  }
  plan->pack = made;
  memcpy(plan->at, at, sizeof plan->at);
  return WEIR_OK;
}

int32_t weir_gpu_convolve(weir_gpu_stream *stream, uint32_t number,
                          const void *x, const void *filter, const void *bias,
                          const void *residual, void *y) {
  weir_gpu *gpu = stream->gpu;
  if (number >= gpu->model->num_convs) {
    WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                  "the model convolves by a plan that it does not have");
    return WEIR_GPU_FAILED;
  }
  weir_gpu_conv_plan *plan = &gpu->conv_plans[number];
  uint32_t flags = gpu->model->convs[number].flags;
  void *at[WEIR_DNN_OPERANDS] = {
      (void *)x, (void *)filter, flags & WEIR_CONV_BIAS ? (void *)bias : NULL,
      flags & WEIR_CONV_RESIDUAL ? (void *)residual : NULL, y};
  weir_status status = pack(gpu, plan, at);
  if (!status)
    status =
        WEIR_DNN_CALL(gpu, cudnnSetStream, gpu->dnn_handle, stream->stream);
  if (!status)
    status = WEIR_DNN_CALL(gpu, cudnnBackendExecute, gpu->dnn_handle,
                           plan->plan, plan->pack);
  return status ? WEIR_GPU_FAILED : 0;
}
