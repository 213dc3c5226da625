// The test uses the C++17 interface of a model with variables.
#include "line.hpp"

static int failures = 0;

#define EXPECT(condition)                                                      \
  (condition)                                                                  \
      ? void()                                                                 \
      : (++failures, void(std::printf("%d: %s\n", __LINE__, #condition)))

using demo::Line;

int main() {
  weir::result<Line> made = Line::create(), another = Line::create();
  EXPECT(made && another);
  Line &net = *made, &other = *another;
  Line::train_step_inputs::x::array x{};
  Line::train_step_inputs::t::array t{};
  float loss = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = float(i) / 99;
    t[i] = 0.1f * x[i] + 0.3f;
  }
  // The variables have no values yet.
  EXPECT(net.train_step(x, t, loss).status() == WEIR_ERR_UNINITIALIZED);
  EXPECT(net.init());
  EXPECT(net.train_step(x, t, loss) && loss > 0);
  EXPECT(net.save("line"));
  EXPECT(other.restore("line"));
  weir::span<float, 1> w = net.var_w();
  std::printf("w is %g, restored %g\n", double(w[0]), double(other.var_w()[0]));
  EXPECT(net.var_seen().size() == 6 && net.var_seen()[0] == 1);

  weir::result<void> wrong = other.restore("nowhere");
  EXPECT(wrong.status() == WEIR_ERR_IO);
  std::printf("%s\n", wrong.message());

  // A variable of one element is an argument, too; a check names its node.
  const float two = 2;
  float y = 0;
  EXPECT(net.predict(two, y) && y > 0);
  wrong = net.predict(-1.0f * two, y);
  EXPECT(wrong.status() == WEIR_ERR_CHECK);
  EXPECT(!std::strcmp(wrong.message(), "node 'predict': x is negative"));
  EXPECT(net.set(two) && net.var_w()[0] == 2);

  // A program that does not know the model accesses variables by name.
  weir::model any = std::move(net);
  EXPECT(any.run("predict", weir::span<const float>(&two, 1),
                 weir::span<float>(&y, 1)));
  weir::result<weir::span<float>> found = any.variable<float>("w");
  EXPECT(found && found->size() == 1 && (*found)[0] == 2);
  EXPECT(!std::strcmp(any.variable<double>("w").message(),
                      "variable 'w' is of another type"));
  std::printf("%d failures\n", failures);
  return failures != 0;
}
