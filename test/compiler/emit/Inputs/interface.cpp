// The test uses the C++17 interface of a model with fixed sizes.
#include "digits.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

static int failures = 0;

#define EXPECT(condition)                                                      \
  (condition)                                                                  \
      ? void()                                                                 \
      : (++failures, void(std::printf("%d: %s\n", __LINE__, #condition)))

using demo::Digits;
using Image = Digits::inputs::image;
using Probabilities = Digits::outputs::probabilities;

static_assert(Image::rank == 4 && Image::elements == 64 && !Image::dynamic);
static_assert(Image::shape[1] == 8 && Image::shape[3] == 1);
static_assert(Probabilities::bytes == 10 * sizeof(float));
static_assert(std::is_same_v<Image::type, float>);
static_assert(!std::is_copy_constructible_v<Digits> &&
              std::is_nothrow_move_constructible_v<Digits>);

static float sumOf(weir::span<const float> values) {
  float sum = 0;
  for (float value : values)
    sum += value;
  return sum;
}

static void run(Digits &net) {
  Image::array image{};
  Probabilities::array first{};
  EXPECT(net.run(image, first));
  EXPECT(std::fabs(sumOf(first) - 1) < 1e-5f);

  // The sizes of containers are known only at run time; arrays and spans have
  // constant sizes.
  std::vector<float> picture(64), row(10);
  EXPECT(net.run(picture, row));
  EXPECT(!std::memcmp(row.data(), first.data(), sizeof first));
  float plain[10];
  const std::vector<float> &fixed = picture;
  EXPECT(net.run(fixed, plain));
  EXPECT(net.run(weir::span<const float>(picture), weir::span<float>(plain)));
  EXPECT(net.run(std::vector<float>(64), plain));
#if __cplusplus >= 202002L
  std::span<const float> view(picture);
  EXPECT(net.run(view, std::span<float, 10>(plain)));
  std::span<float> back = weir::span<float>(plain);
  EXPECT(back.data() == plain && back.size() == 10);
#endif

  // A wrong number of elements is an error that names the tensor.
  picture.resize(60);
  weir::result<void> wrong = net.run(picture, row);
  EXPECT(!wrong && wrong.status() == WEIR_ERR_SIZE);
  EXPECT(
      !std::strcmp(wrong.message(), "input 'image' has 60 elements, not 64"));
  row.resize(11);
  EXPECT(!std::strcmp(net.run(image, row).message(),
                      "output 'probabilities' has 11 elements, not 10"));

  // The library's errors have a text.
  wrong = net.run(image, weir::span<float>(image.data(), 10));
  EXPECT(wrong.status() == WEIR_ERR_OVERLAP);
  EXPECT(std::strstr(wrong.message(), "probabilities"));
  EXPECT(!std::strcmp(net.last_error(), wrong.message()));
  EXPECT(net.run(image, first) && !*net.last_error());
}

static void move(Digits &net) {
  Image::array image{};
  Probabilities::array out;
  Digits other = std::move(net);
  EXPECT(other && !net);
  EXPECT(other.run(image, out));
  EXPECT(net.run(image, out).status() == WEIR_ERR_NULL);
  EXPECT(net.save("x").status() == WEIR_ERR_CONTEXT);
  EXPECT(!std::strcmp(net.last_error(), "there is no model"));
  net = std::move(other);
  EXPECT(net.run(image, out));
  EXPECT(!std::strcmp(net.init().message(),
                      "the model has no variables with first values"));
  EXPECT(!std::strcmp(net.save("x").message(),
                      "the model has no variables to save"));
}

static void configure() {
  alignas(64) static std::byte context[DIGITS_CTX_BYTES];
  alignas(64) static std::byte arena[DIGITS_ARENA_BYTES];
  weir::config options;
  options.context = context;
  options.arena = arena;
  options.threads = 2;
  weir::result<Digits> made = Digits::create(options);
  EXPECT(made && made->context() == context);
  Image::array image{};
  Probabilities::array out;
  EXPECT(made->run(image, out));

  options.arena = {arena, 64};
  EXPECT(Digits::create(options).status() == WEIR_ERR_SIZE);
  options.context = {context, 64};
  made = Digits::create(options);
  EXPECT(!made &&
         !std::strcmp(made.message(), "the context needs more memory"));
}

/// The same for a library that is known only at run time.
static void runAny() {
  weir::result<weir::model> made = weir::model::create(*digits_info());
  EXPECT(made.has_value());
  weir::model net = std::move(made).value();
  std::vector<float> image(64);
  float out[10];
  const weir_function_info &only = net.info().functions[0];
  EXPECT(net.function(only.name) == &only && !net.function("none"));
  EXPECT(net.run(only, image, out));
  EXPECT(net.run(only.name, weir::span<const float>(image), out));
  weir::any_span input(image);
  const weir::any_span output(out);
  EXPECT(net.run(only, input, output));
  EXPECT(std::fabs(sumOf(out) - 1) < 1e-5f);
  EXPECT(!std::strcmp(net.run("none", image, out).message(),
                      "the model has no function 'none'"));
  EXPECT(std::strstr(net.run(only, image).message(),
                     "takes another number of tensors"));
  std::vector<double> wide(64);
  EXPECT(!std::strcmp(net.run(only, wide, out).message(),
                      "input 'image' is of another type"));
  const float fixed[10] = {};
  EXPECT(!std::strcmp(net.run(only, image, fixed).message(),
                      "output 'probabilities' is const"));
  EXPECT(!std::strcmp(net.run(only, out, out).message(),
                      "input 'image' has 10 elements, not 64"));
  EXPECT(!std::strcmp(net.variable<float>("w").message(),
                      "the model has no variable 'w'"));
}

int main() {
  weir::result<Digits> made = Digits::create();
  EXPECT(made.has_value());
  run(*made);
  move(*made);
  configure();
  runAny();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
