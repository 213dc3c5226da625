// Batch normalization, in all its forms, and local response normalization.

#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The images of a node and vectors along their channels.
struct Channels {
  int64_t rank, channel;

  SmallVector<int64_t> others() const {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < rank; ++i)
      if (i != channel)
        dims.push_back(i);
    return dims;
  }
  Expr along(Expr vector) const {
    if (!vector || vector.rank() != 1)
      return {};
    SmallVector<int64_t> shape(rank, 1);
    shape[channel] = vector.size(0);
    return reshape(vector, shape);
  }
};

std::optional<Channels> channelsOf(Node &node, Expr x) {
  if (!x || x.rank() < 2)
    return std::nullopt;
  bool first = node.stringAttr("data_format").starts_with("NC");
  return Channels{x.rank(), first ? 1 : x.rank() - 1};
}

Expr emptyLike(Expr x) {
  return Expr(*x.b,
              splat(*x.b, RankedTensorType::get({0}, x.elementType()), 0));
}

/// y, mean, variance, and what the gradient asks for again.
LogicalResult batchNorm(Node &node) {
  Expr images = operand(node, 0), scale = operand(node, 1),
       offset = operand(node, 2), mean = operand(node, 3),
       variance = operand(node, 4);
  auto channels = channelsOf(node, images);
  if (!channels || !scale || !offset || !mean || !variance)
    return give(node, Expr());
  double epsilon = node.floatAttr("epsilon", 1e-4);
  double factor = node.floatAttr("exponential_avg_factor", 1);
  Expr x = cast(images, scale.elementType());
  Expr givenMean = mean, givenVariance = variance, saved = variance;
  if (node.boolAttr("is_training", true)) {
    double count = 1;
    for (int64_t dim : channels->others())
      count *= static_cast<double>(x.size(dim));
    mean = weir::mean(x, channels->others());
    Expr distance = x - channels->along(mean);
    saved = weir::mean(distance * distance, channels->others());
    // What is reported is the variance of the population, from its sample.
    variance = saved * (count / std::max(count - 1, 1.0));
    Expr normal = rsqrt(saved + epsilon) * scale;
    x = distance * channels->along(normal) + channels->along(offset);
    Expr reportedMean = mean;
    if (factor != 1) {
      reportedMean = givenMean * (1 - factor) + mean * factor;
      variance = givenVariance * (1 - factor) + variance * factor;
    }
    SmallVector<Expr> results{cast(x, images.elementType()), reportedMean,
                              variance, mean, saved};
    if (node.op() == "FusedBatchNormV3")
      results.push_back(emptyLike(mean));
    return give(node, results);
  }
  Expr normal = rsqrt(variance + epsilon) * scale;
  Expr shift = offset - mean * normal;
  x = x * channels->along(normal) + channels->along(shift);
  SmallVector<Expr> results{cast(x, images.elementType()), mean, variance, mean,
                            variance};
  if (node.op() == "FusedBatchNormV3")
    results.push_back(emptyLike(mean));
  return give(node, results);
}

/// Gradients of images, scale and offset; two results stay empty.
LogicalResult batchNormGradient(Node &node) {
  Expr gradient = operand(node, 0), images = operand(node, 1),
       scale = operand(node, 2), mean = operand(node, 3),
       variance = operand(node, 4);
  auto channels = channelsOf(node, images);
  if (!channels || !gradient || !scale || !mean || !variance)
    return give(node, Expr());
  Expr dy = cast(gradient, scale.elementType());
  Expr x = cast(images, scale.elementType());
  Expr inverse = rsqrt(variance + node.floatAttr("epsilon", 1e-4));
  Expr normal = (x - channels->along(mean)) * channels->along(inverse);
  Expr scales = sum(dy * normal, channels->others());
  Expr offsets = sum(dy, channels->others());
  Expr dx = dy;
  if (node.boolAttr("is_training", true)) {
    double count = 1;
    for (int64_t dim : channels->others())
      count *= static_cast<double>(x.size(dim));
    dx = dy - (channels->along(offsets) + normal * channels->along(scales)) /
                  std::max(count, 1.0);
  }
  dx = dx * channels->along(scale * inverse);
  Expr none = emptyLike(scale);
  return give(node,
              {cast(dx, images.elementType()), scales, offsets, none, none});
}

/// Operands: images, mean, variance, offset, scale.
LogicalResult globalNorm(Node &node) {
  Expr x = operand(node, 0);
  Expr normal =
      rsqrt(operand(node, 2) + node.floatAttr("variance_epsilon", 1e-3));
  if (node.boolAttr("scale_after_normalization"))
    normal = normal * operand(node, 4);
  return give(node,
              x * normal + (operand(node, 3) - operand(node, 1) * normal));
}

/// Sums over the channels within a radius, along which a window slides.
Expr sumNeighbours(Expr x, int64_t radius) {
  SmallVector<int64_t> shape(x.shape());
  int64_t channels = shape.back();
  radius = std::min(radius, std::max<int64_t>(channels - 1, 0));
  int64_t size = 2 * radius + 1;
  Expr rows =
      reshape(x, {x.type().getNumElements() / std::max<int64_t>(channels, 1),
                  channels, 1});
  rows = pad(rows, {0, radius, 0}, {0, radius, 0});
  if (!rows)
    return rows;
  Expr means = poolAverage(rows, {{size}, {1}, {1}, {0}, {0}, {channels}});
  return reshape(means * static_cast<double>(size), shape);
}

struct Response {
  int64_t radius;
  double bias, alpha, beta;

  explicit Response(Node &node)
      : radius(node.intAttr("depth_radius", 5)),
        bias(node.floatAttr("bias", 1)), alpha(node.floatAttr("alpha", 1)),
        beta(node.floatAttr("beta", 0.5)) {}

  Expr norm(Expr x) const {
    return sumNeighbours(x * x, radius) * alpha + bias;
  }
  Expr power(Expr norm) const {
    return responseFactor(norm, beta, /*isPositive=*/alpha >= 0 && bias > 0);
  }
};

LogicalResult localResponse(Node &node) {
  Expr x = operand(node, 0);
  if (!x || x.rank() != 4)
    return give(node, Expr());
  Response response(node);
  if (response.radius < 0)
    return node.error() << "has a radius of " << response.radius;
  return give(node, x * response.power(response.norm(x)));
}

/// Operands: the gradient, the images, the result.
LogicalResult localResponseGradient(Node &node) {
  Expr gradient = operand(node, 0), x = operand(node, 1), y = operand(node, 2);
  if (!x || x.rank() != 4)
    return give(node, Expr());
  Response response(node);
  if (response.radius < 0)
    return node.error() << "has a radius of " << response.radius;
  Expr norm = response.norm(x), shares = gradient * y / norm;
  if (!shares)
    return give(node, Expr());
  return give(node, gradient * response.power(norm) -
                        x * sumNeighbours(shares, response.radius) *
                            (2 * response.alpha * response.beta));
}

} // namespace

void addNormHandlers(Handlers &handlers) {
  for (const char *name :
       {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
    handlers[name] = batchNorm;
  for (const char *name :
       {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"})
    handlers[name] = batchNormGradient;
  handlers["BatchNormWithGlobalNormalization"] = globalNorm;
  handlers["LRN"] = localResponse;
  handlers["LRNGrad"] = localResponseGradient;
}

} // namespace weir::tensorflow
