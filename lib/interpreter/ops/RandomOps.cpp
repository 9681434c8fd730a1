// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of random numbers: Philox4x32-10 on the host (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", SC11), and distributions by
// their definitions.
#include "lib/interpreter/Frame.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Words = std::array<uint32_t, 4>;

Words philox(Words counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p = uint64_t(0xD2511F53) * counter[0];
    uint64_t q = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(q >> 32) ^ counter[1] ^ key0,
               static_cast<uint32_t>(q),
               static_cast<uint32_t>(p >> 32) ^ counter[3] ^ key1,
               static_cast<uint32_t>(p)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

/// FNV-1a of the op's seed or name, and of which of its streams it is.
uint32_t streamOf(const std::string &origin, int part) {
  uint32_t hash = 2166136261u;
  for (unsigned char c : origin + " " + std::to_string(part))
    hash = (hash ^ c) * 16777619u;
  return hash;
}

/// Origin of an op's streams: its seed, else its name.
std::string originOf(Operation *op, std::optional<int64_t> seed) {
  if (seed)
    return "seed " + std::to_string(*seed);
  if (auto name = getNodeName(op))
    return name.getValue().str();
  return op->getName().getStringRef().str();
}

/// Makes random tensors of one origin.
struct Source {
  RankedTensorType type;
  uint64_t seed, step;
  std::string origin;
  FloatMath math{ElementKind::F32};

  Tensor uniform(int part = 0) const {
    return philoxUniform(type, seed, step, /*replica=*/0,
                         streamOf(origin, part));
  }
  Tensor scaled(Tensor tensor, double factor, double offset) const {
    if (factor == 1 && offset == 0)
      return tensor;
    for (Element &element : tensor.elements)
      element = math.add(math.mul(element, constant(factor)), constant(offset));
    return tensor;
  }
  /// A number as the element type holds it.
  Element constant(double value) const {
    return Element::exact(static_cast<float>(value));
  }
  Tensor uniform(double low, double high) const {
    return scaled(uniform(), high - low, low);
  }
  Tensor normal(double mean, double deviation) const;
  Tensor truncatedNormal(double mean, double deviation) const;
};

/// Box and Muller: sqrt(-2 ln(1 - u)) cos(2 pi v).
Tensor Source::normal(double mean, double deviation) const {
  Tensor u = uniform(0), v = uniform(1);
  for (auto [x, y] : llvm::zip(u.elements, v.elements)) {
    Element log = math.log(math.sub(Element::exact(1), x));
    Element radius = math.sqrt(math.mul(Element::exact(-2), log));
    x = math.mul(radius, math.cos(math.mul(constant(2 * M_PI), y)));
  }
  return scaled(std::move(u), deviation, mean);
}

/// The inverse of the error function, by Newton's method.
double inverseErf(double t) {
  double x = 0;
  for (int i = 0; i < 100; ++i) {
    double next = x - (std::erf(x) - t) * std::sqrt(M_PI) / 2 * std::exp(x * x);
    if (next == x)
      break;
    x = next;
  }
  return x;
}

/// By the inverse of the distribution function, between -2 and 2 deviations.
Tensor Source::truncatedNormal(double mean, double deviation) const {
  double edge = std::erf(std::sqrt(2.0));
  // The polynomial that compiled code uses is good to 4e-6 of the value, and t
  // is rounded near its ends, where the inverse is steep.
  constexpr double kRelative = 1e-5, kAbsolute = 2e-6;
  Tensor result = uniform();
  for (Element &element : result.elements) {
    double z = std::sqrt(2.0) * inverseErf(edge * (2 * element.value - 1));
    double error = kRelative * std::fabs(z) + kAbsolute;
    element = {z, z - error, z + error};
  }
  return scaled(std::move(result), deviation, mean);
}

template <typename Op> Source sourceOf(Op op, Frame &frame) {
  return {op.getOutput().getType(), frame.options().seed, frame.step(),
          originOf(op, op.getSeed())};
}

LogicalResult dropout(DropoutOp op, Frame &frame) {
  double keep = op.getKeepProb().convertToDouble();
  Tensor result = frame.get(op.getX());
  Source source = {op.getX().getType(), frame.options().seed, frame.step(),
                   originOf(op, op.getSeed())};
  if (keep != 1) {
    Tensor u = source.uniform();
    // Both are f32: the comparison is exact.
    float bound = static_cast<float>(keep);
    for (auto [element, chance] : llvm::zip(result.elements, u.elements))
      element = chance.value < bound
                    ? source.math.mul(element, source.constant(1 / keep))
                    : Element::exact(0);
  }
  frame.set(op.getY(), std::move(result));
  return success();
}

LogicalResult philoxOp(PhiloxUniformOp op, Frame &frame) {
  auto word = [&](Value value) {
    return static_cast<uint32_t>(frame.get(value).elements[0].integer);
  };
  uint64_t seed = word(op.getSeedLow()) |
                  static_cast<uint64_t>(word(op.getSeedHigh())) << 32;
  frame.set(op.getOutput(),
            philoxUniform(op.getOutput().getType(), seed, word(op.getStep()),
                          word(op.getReplica()),
                          static_cast<uint32_t>(op.getStream())));
  return success();
}

LogicalResult stepState(StepStateOp op, Frame &frame) {
  uint64_t seed = frame.options().seed;
  uint32_t words[] = {static_cast<uint32_t>(seed),
                      static_cast<uint32_t>(seed >> 32),
                      static_cast<uint32_t>(frame.step()),
                      static_cast<uint32_t>(op.getReplica())};
  for (auto [result, word] : llvm::zip(op->getResults(), words))
    frame.setElements(result, {Element::of(static_cast<int32_t>(word))});
  return success();
}

} // namespace

Tensor philoxUniform(RankedTensorType type, uint64_t seed, uint64_t step,
                     uint32_t replica, uint32_t stream) {
  Tensor tensor = Tensor::ofType(type);
  uint32_t first = 0, word = replica;
  int64_t count = tensor.size();
  if (count % 64 == 0) {
    first = replica * static_cast<uint32_t>(count / 64);
    word = 0;
  }
  for (int64_t i = 0; i < count; ++i) {
    uint32_t block = first + static_cast<uint32_t>(i / 64);
    Words counter = {block * 16 + static_cast<uint32_t>(i % 16), stream,
                     static_cast<uint32_t>(step), word};
    uint32_t bits = philox(counter, static_cast<uint32_t>(seed),
                           static_cast<uint32_t>(seed >> 32))[(i / 16) % 4];
    tensor.elements[i] = Element::exact((bits >> 8) * 0x1p-24);
  }
  return tensor;
}

Tensor initialValue(VariableOp variable, StringRef name, uint64_t seed) {
  Attribute initial = variable.getInitial();
  RankedTensorType type = variable.getTensorType();
  auto source = [&](int64_t own) {
    std::string origin = own ? "seed " + std::to_string(own) : name.str();
    return Source{type, seed, /*step=*/0, origin};
  };
  if (auto attr = dyn_cast<RandomNormalInitAttr>(initial))
    return source(attr.getSeed()).normal(attr.getMean(), attr.getStddev());
  if (auto attr = dyn_cast<TruncatedNormalInitAttr>(initial))
    return source(attr.getSeed())
        .truncatedNormal(attr.getMean(), attr.getStddev());
  if (auto attr = dyn_cast<RandomUniformInitAttr>(initial))
    return source(attr.getSeed()).uniform(attr.getMinval(), attr.getMaxval());
  if (auto elements = dyn_cast<ElementsAttr>(initial))
    return Tensor::ofAttr(elements);
  Tensor tensor = Tensor::ofType(type);
  double value = cast<FillAttr>(initial).getValue();
  Element element = Element::of(static_cast<int64_t>(value));
  if (tensor.isFloat()) {
    // A constant is rounded once, to the nearest.
    value = tensor.kind == ElementKind::F32 ? static_cast<float>(value) : value;
    element = Element::exact(value);
  }
  for (Element &each : tensor.elements)
    each = element;
  return tensor;
}

void addRandomOps(OpTable &table) {
  table.add<RandomUniformOp>([](RandomUniformOp op, Frame &frame) {
    frame.set(op.getOutput(),
              sourceOf(op, frame).uniform(op.getMinval().convertToDouble(),
                                          op.getMaxval().convertToDouble()));
    return success();
  });
  table.add<RandomNormalOp>([](RandomNormalOp op, Frame &frame) {
    frame.set(op.getOutput(),
              sourceOf(op, frame).normal(op.getMean().convertToDouble(),
                                         op.getStddev().convertToDouble()));
    return success();
  });
  table.add<TruncatedNormalOp>([](TruncatedNormalOp op, Frame &frame) {
    frame.set(op.getOutput(), sourceOf(op, frame).truncatedNormal(
                                  op.getMean().convertToDouble(),
                                  op.getStddev().convertToDouble()));
    return success();
  });
  table.add<DropoutOp>(dropout);
  table.add<PhiloxUniformOp>(philoxOp);
  table.add<StepStateOp>(stepState);
}

} // namespace graphc::interpreter
