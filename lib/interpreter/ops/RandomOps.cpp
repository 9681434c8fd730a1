// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of random numbers: Philox4x32-10 on the host (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", SC11), and distributions by
// their definitions.
#include "dialects/tfir/ops/random/TfirRandomOps.h"
#include "lib/interpreter/Frame.h"

#include <algorithm>
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

/// 48 bits of the streams 0 and 1.
std::vector<int64_t> bitsOf(RankedTensorType type, uint64_t seed, uint64_t step,
                            const std::string &origin) {
  std::vector<int64_t> bits;
  auto floats = RankedTensorType::get(type.getShape(),
                                      Float32Type::get(type.getContext()));
  Tensor high = philoxUniform(floats, seed, step, 0, streamOf(origin, 0));
  Tensor low = philoxUniform(floats, seed, step, 0, streamOf(origin, 1));
  for (auto [x, y] : llvm::zip(high.elements, low.elements))
    bits.push_back(static_cast<int64_t>(x.value * 0x1p24) << 24 |
                   static_cast<int64_t>(y.value * 0x1p24));
  return bits;
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

template <typename Op> void addUniform(OpTable &table) {
  table.add<Op>([](Op op, Frame &frame) {
    frame.set(op.getOutput(),
              sourceOf(op, frame).uniform(op.getMinval().convertToDouble(),
                                          op.getMaxval().convertToDouble()));
    return success();
  });
}

template <typename Op>
void addNormal(OpTable &table, Tensor (Source::*draw)(double, double) const) {
  table.add<Op>([draw](Op op, Frame &frame) {
    frame.set(op.getOutput(),
              (sourceOf(op, frame).*draw)(op.getMean().convertToDouble(),
                                          op.getStddev().convertToDouble()));
    return success();
  });
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

template <typename Op>
Source floatSourceOf(Op op, ArrayRef<int64_t> shape, Frame &frame) {
  return {RankedTensorType::get(shape, Float32Type::get(op.getContext())),
          frame.options().seed, frame.step(), originOf(op, op.getSeed())};
}

LogicalResult uniformInt(RandomUniformIntOp op, Frame &frame) {
  RankedTensorType type = op.getOutput().getType();
  Tensor result = Tensor::ofType(type);
  auto low = static_cast<int64_t>(op.getMinval());
  int64_t count = static_cast<int64_t>(op.getMaxval()) - low;
  std::vector<int64_t> bits = bitsOf(type, frame.options().seed, frame.step(),
                                     originOf(op, op.getSeed()));
  for (auto [element, each] : llvm::zip(result.elements, bits))
    element = Element::of(low + each % count);
  frame.set(op.getOutput(), std::move(result));
  return success();
}

LogicalResult bernoulli(BernoulliOp op, Frame &frame) {
  const Tensor &chances = frame.get(op.getProbs());
  Tensor u = floatSourceOf(op, chances.shape, frame).uniform();
  Tensor result = Tensor::ofType(op.getOutput().getType());
  for (auto [element, x, chance] :
       llvm::zip(result.elements, u.elements, chances.elements)) {
    Truth isBelow = less(x, chance);
    element = Element::of(isBelow.value, isBelow.isKnown);
  }
  frame.set(op.getOutput(), std::move(result));
  return success();
}

LogicalResult multinomial(MultinomialOp op, Frame &frame) {
  const Tensor &logits = frame.get(op.getLogits());
  Tensor result = Tensor::ofType(op.getOutput().getType());
  Source source = floatSourceOf(op, result.shape, frame);
  Tensor u = source.uniform();
  int64_t classes = logits.shape[1], samples = result.shape[1];
  for (int64_t row = 0; row < logits.shape[0]; ++row) {
    auto own = ArrayRef(logits.elements).slice(row * classes, classes);
    Element largest = own[0];
    for (const Element &each : own)
      largest = source.math.max(largest, each);
    std::vector<Element> terms, sums;
    for (const Element &each : own) {
      terms.push_back(source.math.exp(source.math.sub(each, largest)));
      sums.push_back(source.math.sum(terms));
    }
    for (int64_t sample = row * samples; sample < (row + 1) * samples;
         ++sample) {
      Element target = source.math.mul(u.elements[sample], sums.back());
      Element &drawn = result.elements[sample];
      drawn = Element::of(0);
      for (int64_t k = 0; k < classes; ++k) {
        // Behind the last class with a probability is none.
        Truth isPassed = lessEqual(sums[k], target);
        Truth isPart = less(sums[k], sums.back());
        drawn.integer += isPassed.value && isPart.value;
        drawn.isKnown &= isPassed.isKnown || (isPart.isKnown && !isPart.value);
      }
    }
  }
  frame.set(op.getOutput(), std::move(result));
  return success();
}

/// The first of six candidates of Marsaglia and Tsang that is accepted.
Element gammaSample(const Source &source, Element alpha,
                    ArrayRef<const Element *> uniforms) {
  const FloatMath &math = source.math;
  alpha.slope = 0;
  Element one = Element::exact(1);
  Truth isSmall = less(alpha, one);
  Element shape = isSmall.value ? math.add(alpha, one) : alpha;
  Element d = math.sub(shape, source.constant(1.0 / 3));
  Element c = math.rsqrt(math.mul(d, Element::exact(9)));
  Element sample = d;
  for (size_t round = (uniforms.size() - 1) / 3; round-- > 0;) {
    const Element &u = *uniforms[3 * round], &v = *uniforms[3 * round + 1];
    Element radius =
        math.sqrt(math.mul(Element::exact(-2), math.log(math.sub(one, u))));
    Element x =
        math.mul(radius, math.cos(math.mul(source.constant(2 * M_PI), v)));
    Element root = math.add(math.mul(x, c), one);
    Element cube = math.mul(math.square(root), root);
    Truth isPositive = less(Element::exact(0), root);
    Element safe = isPositive.value ? cube : one;
    Element bound =
        math.add(math.mul(math.square(x), Element::exact(0.5)),
                 math.mul(d, math.add(math.sub(one, safe), math.log(safe))));
    Truth isBelow =
        less(math.log(math.sub(one, *uniforms[3 * round + 2])), bound);
    Element candidate = math.mul(d, safe);
    bool isChosen = isPositive.value && isBelow.value;
    bool isKnown = isPositive.isKnown && (isBelow.isKnown || !isPositive.value);
    Element chosen = isChosen ? candidate : sample;
    sample = isKnown ? chosen : hull(chosen, isChosen ? sample : candidate);
  }
  if (isSmall.value)
    sample = math.mul(sample, math.pow(math.sub(one, *uniforms.back()),
                                       math.div(one, alpha)));
  return isSmall.isKnown ? sample : Element::anything(sample.value);
}

LogicalResult randomGamma(RandomGammaOp op, Frame &frame) {
  const Tensor &alpha = frame.get(op.getAlpha());
  Tensor result = Tensor::ofType(op.getOutput().getType());
  Source source = floatSourceOf(op, result.shape, frame);
  std::vector<Tensor> draws;
  for (int part = 0; part <= 18; ++part)
    draws.push_back(source.uniform(part));
  int64_t next = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<const Element *> uniforms;
    for (const Tensor &draw : draws)
      uniforms.push_back(&draw.elements[next]);
    Element sample = gammaSample(source, alpha.broadcastAt(index), uniforms);
    if (Value beta = op.getBeta())
      sample = source.math.div(sample, frame.get(beta).broadcastAt(index));
    result.elements[next++] = sample;
  });
  frame.set(op.getOutput(), std::move(result));
  return success();
}

LogicalResult randomShuffle(RandomShuffleOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  auto type = op.getX().getType().clone(ArrayRef<int64_t>{x.shape[0]});
  std::vector<int64_t> bits = bitsOf(type, frame.options().seed, frame.step(),
                                     originOf(op, op.getSeed()));
  std::vector<int64_t> order(bits.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return bits[a] < bits[b]; });
  Tensor y = x;
  int64_t row = x.shape[0] ? x.size() / x.shape[0] : 0;
  for (size_t i = 0; i < order.size(); ++i)
    std::copy_n(x.elements.begin() + order[i] * row, row,
                y.elements.begin() + static_cast<int64_t>(i) * row);
  frame.set(op.getY(), std::move(y));
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
    value = tensor.kind == ElementKind::F64 ? value : static_cast<float>(value);
    element = Element::exact(value);
  }
  for (Element &each : tensor.elements)
    each = element;
  return tensor;
}

void addRandomOps(OpTable &table) {
  addUniform<RandomUniformOp>(table);
  addUniform<RandomUniformLikeOp>(table);
  addNormal<RandomNormalOp>(table, &Source::normal);
  addNormal<RandomNormalLikeOp>(table, &Source::normal);
  addNormal<TruncatedNormalOp>(table, &Source::truncatedNormal);
  addNormal<TruncatedNormalLikeOp>(table, &Source::truncatedNormal);
  table.add<DropoutOp>(dropout);
  table.add<RandomUniformIntOp>(uniformInt);
  table.add<BernoulliOp>(bernoulli);
  table.add<MultinomialOp>(multinomial);
  table.add<RandomGammaOp>(randomGamma);
  table.add<RandomShuffleOp>(randomShuffle);
  table.add<PhiloxUniformOp>(philoxOp);
  table.add<StepStateOp>(stepState);
}

} // namespace graphc::interpreter
