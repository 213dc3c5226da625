// What cuDNN computes. How is chosen at create, or was by another process
// before; a run only issues it.

#include "runtime/cuda/plans.h"
#include "runtime/libc.h"

static const weir_gpu_library cudnn = {
    "this model computes with cuDNN 9",
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

int weir_dnn_fits(weir_gpu *gpu, const weir_dnn_row *row,
                  weir_dnn_object plan) {
  int64_t count = 0, bytes = -1;
  return !gpu->dnn.cudnnBackendGetAttribute(
             plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE_, CUDNN_TYPE_INT64_,
             1, &count, &bytes) &&
         bytes >= 0 && (uint64_t)bytes <= row->workspace_bytes;
}

// Whether a way to compute keeps what the model is promised: the same result
// each time, sums of f32, and factors as they are.
static int is_exact(weir_gpu *gpu, const weir_dnn_row *row,
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
  for (int64_t i = 0; i < count && i < MOST_NOTES && known; ++i)
    known = notes[i] != CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS_ &&
            notes[i] != CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION_ &&
            notes[i] != CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC_ &&
            !(row->exact && notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE_);
  return known;
}

// A plan of one way to compute; null: it is none for this device.
static weir_dnn_object try_choice(weir_gpu *gpu, const weir_dnn_row *row,
                                  weir_dnn_object choice) {
  weir_dnn_object plan = NULL;
  const weir_dnn *dnn = &gpu->dnn;
  if (!is_exact(gpu, row, choice) ||
      dnn->cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_, &plan))
    return NULL;
  if (!dnn->cudnnBackendSetAttribute(
          plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG_,
          CUDNN_TYPE_BACKEND_DESCRIPTOR_, 1, &choice) &&
      !dnn->cudnnBackendSetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE_,
                                     CUDNN_TYPE_HANDLE_, 1, &gpu->dnn_handle) &&
      !dnn->cudnnBackendFinalize(plan) && weir_dnn_fits(gpu, row, plan))
    return plan;
  drop(gpu, plan);
  return NULL;
}

// The first of what the library proposes that can be used; none is no failure.
static void choose(weir_gpu *gpu, const weir_dnn_row *row,
                   weir_dnn_object graph, int32_t mode,
                   weir_gpu_dnn_plan *plan) {
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
        (plan->plan = try_choice(gpu, row, choices[i])))
      plan->made[plan->num_made++] = choices[i]; // the plan's from now on
    else
      drop(gpu, choices[i]);
  }
  drop(gpu, heuristic);
}

static weir_status plan_one(weir_gpu *gpu, const weir_dnn_row *row,
                            weir_gpu_dnn_plan *plan) {
  if (weir_dnn_recall(gpu, row, plan))
    return WEIR_OK;
  weir_dnn_making m = {.gpu = gpu, .plan = plan, .inside = WEIR_DNN_INSIDE};
  if (row->conv)
    weir_dnn_describe_conv(&m, row->conv);
  else
    weir_dnn_describe_attention(&m, row->attention);
  weir_dnn_object graph = weir_dnn_graph(&m);
  if (m.status)
    return m.status;
  choose(gpu, row, graph, CUDNN_HEUR_MODE_A_, plan);
  if (!plan->plan)
    choose(gpu, row, graph, CUDNN_HEUR_MODE_FALLBACK_, plan);
  if (!plan->plan)
    return row->conv ? weir_dnn_no_conv(gpu, row->conv)
                     : weir_dnn_no_attention(gpu, row->attention);
  weir_dnn_keep(gpu, row, plan);
  return WEIR_OK;
}

weir_status weir_gpu_plan_dnn(weir_gpu *gpu) {
  const weir_gpu_model *model = gpu->model;
  if (!model->num_convs && !model->num_attentions)
    return WEIR_OK;
  weir_status status = load(gpu);
  weir_gpu_dnn_plan *plan = gpu->dnn_plans;
  for (uint64_t i = 0; i < model->num_convs && !status; ++i) {
    weir_dnn_row row = weir_dnn_row_of_conv(&model->convs[i]);
    status = plan_one(gpu, &row, plan++);
  }
  for (uint64_t i = 0; i < model->num_attentions && !status; ++i) {
    weir_dnn_row row = weir_dnn_row_of_attention(&model->attentions[i]);
    status = plan_one(gpu, &row, plan++);
  }
  return status;
}

void weir_gpu_free_dnn(weir_gpu *gpu) {
  if (!gpu->dnn_handle)
    return;
  uint64_t count = gpu->model->num_convs + gpu->model->num_attentions;
  for (uint64_t i = 0; i < count; ++i) {
    weir_gpu_dnn_plan *plan = &gpu->dnn_plans[i];
    drop(gpu, plan->pack);
    drop(gpu, plan->plan);
    while (plan->num_made)
      drop(gpu, plan->made[--plan->num_made]);
  }
  gpu->dnn.cudnnDestroy(gpu->dnn_handle);
}

// Makes the plan's pack one of these addresses, the null ones of no tensor.
static weir_status pack(weir_gpu *gpu, weir_gpu_dnn_plan *plan,
                        void *const at[WEIR_DNN_OPERANDS], void *workspace) {
  int64_t numbers[WEIR_DNN_OPERANDS], count = 0;
  void *given[WEIR_DNN_OPERANDS];
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
    status = WEIR_DNN_CALL(gpu, cudnnBackendSetAttribute, made,
                           CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS_,
                           CUDNN_TYPE_INT64_, count, numbers);
  if (!status)
    status = WEIR_DNN_CALL(gpu, cudnnBackendSetAttribute, made,
                           CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS_,
                           CUDNN_TYPE_VOID_PTR_, count, given);
  if (!status)
    status = WEIR_DNN_CALL(gpu, cudnnBackendSetAttribute, made,
                           CUDNN_ATTR_VARIANT_PACK_WORKSPACE_,
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

weir_status weir_dnn_issue(weir_gpu_stream *stream, weir_gpu_dnn_plan *plan,
                           void *const at[WEIR_DNN_OPERANDS], void *workspace) {
  weir_gpu *gpu = stream->gpu;
  weir_status status = pack(gpu, plan, at, workspace);
  if (!status)
    status =
        WEIR_DNN_CALL(gpu, cudnnSetStream, gpu->dnn_handle, stream->stream);
  if (!status)
    status = WEIR_DNN_CALL(gpu, cudnnBackendExecute, gpu->dnn_handle,
                           plan->plan, plan->pack);
  return status;
}
