// weir.hpp: the C++17 interface of compiled models; a model's .hpp repeats it.
//
// It needs neither exceptions nor RTTI. Only create allocates memory.
#ifndef WEIR_HPP
#define WEIR_HPP

#ifndef WEIR_TYPES_HPP
#include "weir_types.hpp"
#endif

namespace weir {

/// Options of create; all may be left out.
struct config {
  /// Threads that share a run; 0: as many as the model was compiled for, which
  /// is one for a model of --threads=extern.
  int threads = 0;
  /// Runs the tasks of a run on threads of the caller, as in weir_threads;
  /// null: create starts threads.
  void (*parallel_for)(void *user, int tasks, void (*fn)(void *data, int task),
                       void *data) = nullptr;
  void *user = nullptr;
  /// A file of weights to map, or the weights themselves.
  const char *weights_path = nullptr;
  const void *weights = nullptr;
  /// Memory, aligned to 64 bytes, instead of the heap's.
  span<std::byte> context{}, arena{}, state{};
  /// As in weir_config.
  std::uint32_t level = 0, device = 0;
};

/// A compiled model with memory to run in: one call at a time. Models that run
/// at the same time are made by a create each; they share code and weights.
class model {
public:
  static result<model> create(const weir_model_info &info,
                              const config &options = {}) noexcept {
    model made;
    if (weir::error error = made.open_(info, options); error.status())
      return error;
    return made;
  }
  ~model() { close_(); }
  model(model &&other) noexcept
      : info_(std::exchange(other.info_, nullptr)),
        context_(std::exchange(other.context_, nullptr)) {}
  model &operator=(model &&other) noexcept {
    if (this != &other) {
      close_();
      info_ = std::exchange(other.info_, nullptr);
      context_ = std::exchange(other.context_, nullptr);
    }
    return *this;
  }

  /// Whether there is a model: not after a move.
  explicit operator bool() const noexcept { return context_; }
  /// Names, types, shapes and sizes of memory.
  const weir_model_info &info() const noexcept { return *info_; }
  /// The context, for calls of the C interface.
  void *context() const noexcept { return context_; }
  /// The text of the last failure; empty after a call that went well.
  const char *last_error() const noexcept {
    return context_ ? info_->last_error(context_) : "there is no model";
  }

  /// Gives variables their first values.
  result<void> init() noexcept {
    if (!context_ || !info_->init)
      return no_("variables with first values");
    return answer_(info_->run(context_, info_->init - 1, nullptr, 0));
  }
  /// Checkpoints of variables, in TensorFlow's format.
  result<void> save(const char *path) noexcept {
    if (!context_ || !info_->save)
      return no_("variables to save");
    return answer_(info_->save(context_, path));
  }
  result<void> restore(const char *path) noexcept {
    if (!context_ || !info_->restore)
      return no_("variables to restore");
    return answer_(info_->restore(context_, path));
  }

  /// The function of the name, or null.
  const weir_function_info *function(const char *name) const noexcept {
    for (std::uint32_t i = 0; context_ && i < info_->num_functions; ++i)
      if (!std::strcmp(info_->functions[i].name, name))
        return &info_->functions[i];
    return nullptr;
  }
  /// Runs a function on its inputs, then its outputs.
  template <class... Tensors>
  result<void> run(const char *name, Tensors &&...tensors) noexcept {
    const weir_function_info *called = function(name);
    return called ? run(*called, std::forward<Tensors>(tensors)...)
                  : no_("function", name);
  }
  template <class... Tensors>
  result<void> run(const weir_function_info &called,
                   Tensors &&...tensors) noexcept {
    const std::array<any_span, sizeof...(Tensors)> all{
        any_span(std::forward<Tensors>(tensors))...};
    if (weir::error error = check_(called, {all.data(), all.size()});
        error.status())
      return error;
    std::array<void *, sizeof...(Tensors)> addresses;
    for (std::size_t i = 0; i < all.size(); ++i)
      addresses[i] = all[i].data();
    return answer_(info_->run(
        context_, static_cast<std::uint32_t>(&called - info_->functions),
        addresses.data(), static_cast<std::uint32_t>(addresses.size())));
  }

  /// A variable's elements; in the memory of the GPU for a model that runs
  /// there.
  template <class T>
  result<span<T>> variable(const char *name) noexcept {
    for (std::uint32_t i = 0; context_ && i < info_->num_variables; ++i) {
      const weir_variable_info &found = info_->variables[i];
      if (std::strcmp(found.name, name))
        continue;
      char *first = static_cast<char *>(info_->state(context_)) + found.offset;
      span<T> elements(static_cast<T *>(static_cast<void *>(first)),
                       static_cast<std::size_t>(found.elements));
      if (!any_span(elements).is_of(found.dtype))
        return error_(WEIR_ERR_SIZE, "variable", name, "is of another type");
      return elements;
    }
    return no_("variable", name);
  }

protected:
  model() noexcept = default;

  weir::error open_(const weir_model_info &info,
                    const config &options) noexcept {
    if (info.abi_version != WEIR_ABI_VERSION)
      return weir::error(WEIR_ERR_VERSION, info.status_text(WEIR_ERR_VERSION));
    if (options.context.data() && options.context.size() < info.context_bytes)
      return weir::error(WEIR_ERR_SIZE, "the context needs more memory");
    char message[256] = "";
    const int count =
        options.threads ? options.threads : static_cast<int>(info.threads);
    const weir_threads threads{options.user, count, options.parallel_for};
    weir_config all = WEIR_CONFIG_INIT;
    all.level = options.level;
    all.arena = options.arena.data();
    all.arena_bytes = options.arena.size();
    all.weights = options.weights;
    all.weights_path = options.weights_path;
    all.threads = options.threads || options.parallel_for ? &threads : nullptr;
    all.device = options.device;
    all.message = message;
    all.message_bytes = sizeof message;
    all.state = options.state.data();
    all.state_bytes = options.state.size();
    info_ = &info;
    if (weir_status status =
            info.create(options.context.data(), &all, &context_))
      return weir::error(status, *message ? message : info.status_text(status));
    return weir::error();
  }

  void close_() noexcept {
    if (context_)
      info_->destroy(context_);
  }

  result<void> answer_(weir_status status) const noexcept {
    if (status == WEIR_OK)
      return {};
    // While another thread is in a call, the text is that call's.
    const char *text = status == WEIR_ERR_BUSY ? "" : last_error();
    return weir::error(status,
                       *text || !info_ ? text : info_->status_text(status));
  }

  static weir::error error_(weir_status status, const char *what,
                            const char *name, const char *why) noexcept {
    char text[256];
    std::snprintf(text, sizeof text, "%s '%s' %s", what, name, why);
    return weir::error(status, text);
  }
  weir::error no_(const char *what) const noexcept {
    if (!context_)
      return weir::error(WEIR_ERR_CONTEXT, "there is no model");
    char text[256];
    std::snprintf(text, sizeof text, "the model has no %s", what);
    return weir::error(WEIR_ERR_SIZE, text);
  }
  weir::error no_(const char *what, const char *name) const noexcept {
    if (!context_)
      return no_(what);
    char text[256];
    std::snprintf(text, sizeof text, "the model has no %s '%s'", what, name);
    return weir::error(WEIR_ERR_SIZE, text);
  }

  static weir::error wrong_size_(bool is_input, const char *name,
                                 std::size_t size, std::size_t wanted,
                                 bool is_dynamic) noexcept {
    char text[256];
    std::snprintf(text, sizeof text, "%s '%s' has %zu elements, not %s%zu",
                  is_input ? "input" : "output", name, size,
                  is_dynamic ? "room for " : "", wanted);
    return weir::error(WEIR_ERR_SIZE, text);
  }

  /// The first of a header's tensors that the caller's elements do not fit.
  template <class... Arguments>
  weir::error check_sizes_(const Arguments &...arguments) const noexcept {
    weir::error wrong;
    auto see = [&](const auto &given) {
      using Tensor = typename std::decay_t<decltype(given)>::tensor;
      if (given.fits())
        return true;
      wrong = wrong_size_(std::decay_t<decltype(given)>::is_input, Tensor::name,
                          given.size(), Tensor::elements, Tensor::dynamic);
      return false;
    };
    (void)(see(arguments) && ...);
    return wrong;
  }

  weir::error check_(const weir_function_info &called,
                     span<const any_span> tensors) const noexcept {
    if (!context_)
      return no_("");
    if (tensors.size() != std::size_t{called.num_inputs} + called.num_outputs)
      return error_(WEIR_ERR_SIZE, "function", called.name,
                    "takes another number of tensors");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      bool is_input = i < called.num_inputs;
      const weir_tensor_info &wanted =
          is_input ? called.inputs[i] : called.outputs[i - called.num_inputs];
      const char *what = is_input ? "input" : "output";
      const auto elements = static_cast<std::size_t>(wanted.elements);
      bool is_dynamic = wanted.shape_tensor >= 0;
      if (!tensors[i].is_of(wanted.dtype))
        return error_(WEIR_ERR_SIZE, what, wanted.name, "is of another type");
      if (!is_input && tensors[i].is_const())
        return error_(WEIR_ERR_SIZE, what, wanted.name, "is const");
      if (is_dynamic ? tensors[i].size() < elements
                     : tensors[i].size() != elements)
        return wrong_size_(is_input, wanted.name, tensors[i].size(), elements,
                           is_dynamic);
    }
    return {};
  }

private:
  const weir_model_info *info_ = nullptr;
  void *context_ = nullptr;
};

} // namespace weir

#endif
