// weir_types.hpp declares the spans, results and tensors of weir.hpp.
#ifndef WEIR_TYPES_HPP
#define WEIR_TYPES_HPP

#if __cplusplus < 201703L
#error "weir.hpp needs C++17"
#endif

#ifndef WEIR_H
#include "weir.h"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <ranges>
#endif

namespace weir {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

namespace detail {

/// How many elements a type of containers has; dynamic_extent: any number.
template <class C, class = void>
struct extent_of : std::integral_constant<std::size_t, dynamic_extent> {};
template <class T, std::size_t N>
struct extent_of<std::array<T, N>, void>
    : std::integral_constant<std::size_t, N> {};
template <class C>
struct extent_of<C, std::void_t<decltype(C::extent)>>
    : std::integral_constant<std::size_t, C::extent> {};

/// std::span and weir::span: the elements outlive the object.
template <class C, class = void>
struct is_view : std::false_type {};
template <class C>
struct is_view<C, std::void_t<decltype(C::extent)>> : std::true_type {};

/// Whether a container's elements lie in a row and are T's. What a call writes
/// to must not be a temporary container.
template <class C, class T, class = void>
struct holds : std::false_type {};
template <class C, class T>
struct holds<C, T,
             std::void_t<decltype(std::declval<C &>().data()),
                         decltype(std::declval<C &>().size())>>
    : std::bool_constant<
          std::is_convertible_v<
              std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[],
              T (*)[]> &&
          (std::is_lvalue_reference_v<C> || std::is_const_v<T> ||
           is_view<std::remove_reference_t<C>>::value)> {};

template <class C>
using bare = std::remove_cv_t<std::remove_reference_t<C>>;

} // namespace detail

/// Elements in a row that something else owns: std::span for C++17. std::span
/// of C++20 converts to and from it.
template <class T, std::size_t Extent = dynamic_extent>
class span {
public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr std::size_t extent = Extent;

  constexpr span() noexcept = default;
  template <std::size_t E = Extent,
            std::enable_if_t<E == dynamic_extent, int> = 0>
  constexpr span(T *data, std::size_t size) noexcept
      : data_(data), size_(size) {}
  template <std::size_t E = Extent,
            std::enable_if_t<E != dynamic_extent, int> = 0>
  constexpr explicit span(T *data) noexcept : data_(data), size_(E) {}
  template <std::size_t N,
            std::enable_if_t<Extent == dynamic_extent || Extent == N, int> = 0>
  constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  template <class C,
            std::enable_if_t<
                detail::holds<C, T>::value &&
                    !std::is_same_v<detail::bare<C>, span> &&
                    (Extent == dynamic_extent ||
                     Extent == detail::extent_of<detail::bare<C>>::value),
                int> = 0>
  constexpr span(C &&container) noexcept
      : data_(container.data()), size_(container.size()) {}

  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return !size_; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

/// Why a call failed, with a text that names the tensor, the node or the file.
class error {
public:
  error() noexcept { text_[0] = 0; }
  explicit error(weir_status status, const char *text) noexcept
      : status_(status) {
    std::snprintf(text_, sizeof text_, "%s", text);
  }
  error(const error &other) noexcept { *this = other; }
  error &operator=(const error &other) noexcept {
    status_ = other.status_;
    std::memmove(text_, other.text_, std::strlen(other.text_) + 1);
    return *this;
  }

  weir_status status() const noexcept { return status_; }
  const char *message() const noexcept { return text_; }

private:
  weir_status status_ = WEIR_OK;
  char text_[256]; // the longest text of a context
};

namespace detail {

/// The end of a program that uses a result without a value.
[[noreturn]] inline void no_value(const weir::error &error) noexcept {
  std::fprintf(stderr, "weir: error: %s\n", error.message());
  std::abort();
}

} // namespace detail

/// A value, or why there is none.
template <class T>
class [[nodiscard]] result {
public:
  result(T value) noexcept : value_(std::move(value)) {}
  result(const weir::error &error) noexcept : error_(error) {}

  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// Ends the program where there is no value, after it has printed why.
  T &value() & noexcept { return checked(), *value_; }
  const T &value() const & noexcept { return checked(), *value_; }
  T &&value() && noexcept { return checked(), std::move(*value_); }
  T &operator*() noexcept { return *value_; }
  T *operator->() noexcept { return &*value_; }

  const weir::error &error() const noexcept { return error_; }
  weir_status status() const noexcept { return error_.status(); }
  const char *message() const noexcept { return error_.message(); }

private:
  void checked() const noexcept {
    if (!value_)
      detail::no_value(error_);
  }

  std::optional<T> value_;
  weir::error error_;
};

template <>
class [[nodiscard]] result<void> {
public:
  result() noexcept = default;
  result(const weir::error &error) noexcept : error_(error) {}

  bool has_value() const noexcept { return error_.status() == WEIR_OK; }
  explicit operator bool() const noexcept { return has_value(); }
  void value() const noexcept {
    if (!has_value())
      detail::no_value(error_);
  }

  const weir::error &error() const noexcept { return error_; }
  weir_status status() const noexcept { return error_.status(); }
  const char *message() const noexcept { return error_.message(); }

private:
  weir::error error_;
};

/// Describes an input or output of static shape.
template <class T, std::int64_t... Dims>
struct tensor {
  using type = T;
  static constexpr bool dynamic = false;
  static constexpr std::size_t rank = sizeof...(Dims);
  static constexpr std::array<std::int64_t, rank> shape{{Dims...}};
  static constexpr std::size_t elements =
      (std::size_t{1} * ... * static_cast<std::size_t>(Dims));
  static constexpr std::size_t bytes = elements * sizeof(T);
  /// An array of the tensor's size.
  using array = std::array<T, elements>;
};

/// The same where a run chooses or finds sizes: those here are the largest. The
/// elements of the actual sizes come first, without gaps, but the memory has
/// room for the largest, all of which a run may read and write.
template <class T, std::int64_t... Dims>
struct dynamic_tensor : tensor<T, Dims...> {
  static constexpr bool dynamic = true;
};

/// The elements that a caller gives for a tensor: an array, a container, a span
/// or, of one element, a variable.
template <class Tensor, class T>
class argument {
  template <class V>
  static constexpr bool is_scalar = std::is_same_v<V, std::remove_const_t<T>> &&
                                    Tensor::elements == 1 && !Tensor::dynamic;

public:
  template <std::size_t N>
  argument(T (&array)[N]) noexcept : data_(array), size_(N) {
    check<N>();
  }
  template <class C,
            std::enable_if_t<detail::holds<C, T>::value &&
                                 !std::is_same_v<detail::bare<C>, argument>,
                             int> = 0>
  argument(C &&container) noexcept
      : data_(container.data()), size_(container.size()) {
    check<detail::extent_of<detail::bare<C>>::value>();
  }
  template <class V,
            std::enable_if_t<is_scalar<V> && std::is_const_v<T>, int> = 0>
  argument(const V &value) noexcept : data_(&value), size_(1) {}
  template <class V,
            std::enable_if_t<is_scalar<V> && !std::is_const_v<T>, int> = 0>
  argument(V &value) noexcept : data_(&value), size_(1) {}

  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool fits() const noexcept { return fits(size_); }
  static constexpr bool is_input = std::is_const_v<T>;
  using tensor = Tensor;

private:
  static constexpr bool fits(std::size_t size) {
    return Tensor::dynamic ? size >= Tensor::elements
                           : size == Tensor::elements;
  }
  template <std::size_t N>
  static constexpr void check() {
    if constexpr (N != dynamic_extent)
      static_assert(fits(N), "the tensor has another number of elements");
  }

  T *data_;
  std::size_t size_;
};
template <class Tensor>
using input = argument<Tensor, const typename Tensor::type>;
template <class Tensor>
using output = argument<Tensor, typename Tensor::type>;

/// A tensor of a model that is known only at run time: its type and number of
/// elements are checked by each run.
class any_span {
public:
  template <class T, std::size_t N>
  any_span(T (&array)[N]) noexcept : any_span(array, N) {}
  template <
      class C,
      class T = std::remove_pointer_t<decltype(std::declval<C &>().data())>,
      std::enable_if_t<!std::is_same_v<detail::bare<C>, any_span>, int> = 0>
  any_span(C &&container) noexcept
      : any_span(container.data(), container.size()) {
    static_assert(detail::holds<C, T>::value,
                  "an output must not be a temporary object");
  }

  void *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool is_const() const noexcept { return is_const_; }
  bool is_of(weir_dtype dtype) const noexcept { return kinds_ >> dtype & 1; }

private:
  template <class T>
  any_span(T *data, std::size_t size) noexcept
      : data_(const_cast<std::remove_const_t<T> *>(data)), size_(size),
        kinds_(kinds<std::remove_const_t<T>>()), is_const_(std::is_const_v<T>) {
  }

  /// A bit for each dtype that has elements of this type.
  template <class T>
  static constexpr std::uint32_t kinds() {
    constexpr bool is_real = std::is_floating_point_v<T>;
    if (std::is_same_v<T, bool>)
      return 1u << WEIR_BOOL;
    if (!std::is_arithmetic_v<T> || (is_real && sizeof(T) > 8))
      return 0;
    switch (sizeof(T)) {
    case 1:
      return std::is_signed_v<T> ? 1u << WEIR_I8
                                 : 1u << WEIR_U8 | 1u << WEIR_BOOL;
    case 2:
      return std::is_signed_v<T>
                 ? 1u << WEIR_I16
                 : 1u << WEIR_U16 | 1u << WEIR_F16 | 1u << WEIR_BF16;
    case 4:
      return 1u << (is_real               ? WEIR_F32
                    : std::is_signed_v<T> ? WEIR_I32
                                          : WEIR_U32);
    default:
      return 1u << (is_real               ? WEIR_F64
                    : std::is_signed_v<T> ? WEIR_I64
                                          : WEIR_U64);
    }
  }

  void *data_;
  std::size_t size_;
  std::uint32_t kinds_;
  bool is_const_;
};

} // namespace weir

#if __cplusplus >= 202002L
template <class T, std::size_t N>
inline constexpr bool std::ranges::enable_borrowed_range<weir::span<T, N>> =
    true;
template <class T, std::size_t N>
inline constexpr bool std::ranges::enable_view<weir::span<T, N>> = true;
#endif

#endif
