// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of Fourier transforms: sums over all places, as defined.
#include "dialects/tfir/ops/spectral/TfirSpectralOps.h"
#include "lib/interpreter/Frame.h"

#include <cmath>
#include <complex>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// Complex elements, those of a row one after another: (re, im).
using Row = std::vector<Element>;

/// False for rows with numbers that passes of a transform may multiply by zero,
/// or subtract from each other, to any result.
bool isFinite(const Row &x) {
  return llvm::all_of(x, [](const Element &element) {
    return !element.isAnything() && std::isfinite(element.value);
  });
}

/// e^(i * 2 * pi * part / count). Quarters are exact: what they should multiply
/// by zero may be large.
std::complex<double> rootOfUnity(int64_t part, int64_t count) {
  if (4 * part % count == 0) {
    constexpr std::complex<double> kQuarters[] = {
        {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    return kQuarters[4 * part / count];
  }
  return std::polar(1.0, 2 * M_PI * static_cast<double>(part) /
                             static_cast<double>(count));
}

/// Transforms of rows of one float type.
class Fourier {
public:
  Fourier(ElementKind kind, bool isInverse)
      : unit(FloatMath(kind).unit()), isInverse(isInverse) {}

  Row operator()(const Row &x) const {
    auto count = static_cast<int64_t>(x.size() / 2);
    double bound = 0;
    for (const Element &element : x)
      bound += std::max(std::fabs(element.low), std::fabs(element.high));
    bool isKnown = isFinite(x);
    double scale = isInverse ? 1.0 / static_cast<double>(count) : 1;
    // Any order of sums, in passes whose factors are rounded.
    double passes = 1 + std::log2(static_cast<double>(count));
    double slack =
        (16 * passes + static_cast<double>(count)) * unit * bound * scale;
    Row y;
    for (int64_t k = 0; k < count; ++k) {
      Element re = Element::exact(0), im = Element::exact(0);
      for (int64_t j = 0; j < count; ++j) {
        std::complex<double> root = rootOfUnity(j * k % count, count);
        double c = root.real() * scale;
        double s = (isInverse ? root.imag() : -root.imag()) * scale;
        addProduct(re, c, x[2 * j]);
        addProduct(re, -s, x[2 * j + 1]);
        addProduct(im, s, x[2 * j]);
        addProduct(im, c, x[2 * j + 1]);
      }
      for (Element *each : {&re, &im}) {
        each->low -= slack;
        each->high += slack;
        y.push_back(isKnown ? *each
                            : Element::anything(each->value, each->slope));
      }
    }
    return y;
  }

private:
  static void addProduct(Element &sum, double factor, const Element &x) {
    sum.value += factor * x.value;
    sum.low += std::min(factor * x.low, factor * x.high);
    sum.high += std::max(factor * x.low, factor * x.high);
    sum.slope += factor * x.slope;
  }

  double unit;
  bool isInverse;
};

/// Calls `function` with each row of `count` elements, from the first on.
template <typename Function>
Row eachRow(const std::vector<Element> &x, int64_t count, Function function) {
  Row y;
  for (int64_t at = 0; at + count <= static_cast<int64_t>(x.size()) && count;
       at += count)
    llvm::append_range(y,
                       function(Row(x.begin() + at, x.begin() + at + count)));
  return y;
}

template <bool isInverse, typename Op>
LogicalResult transform(Op op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  frame.setElements(op.getY(), eachRow(x.elements, 2 * x.shape[x.rank() - 2],
                                       Fourier(x.kind, isInverse)));
  return success();
}

/// Pairs with rows and columns of each matrix exchanged.
Row transposed(const Row &x, int64_t rows, int64_t columns) {
  return eachRow(x, 2 * rows * columns, [&](const Row &from) {
    Row to;
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t part = 0; part < 2; ++part)
          to.push_back(from[2 * (row * columns + column) + part]);
    return to;
  });
}

template <bool isInverse, typename Op>
LogicalResult transformTwo(Op op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  int64_t rows = x.shape[x.rank() - 3], columns = x.shape[x.rank() - 2];
  Fourier fourier(x.kind, isInverse);
  Row y = eachRow(x.elements, 2 * columns, fourier);
  y = eachRow(transposed(y, rows, columns), 2 * rows, fourier);
  frame.setElements(op.getY(), transposed(y, columns, rows));
  return success();
}

LogicalResult rfft(RfftOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  int64_t size = x.shape.back();
  int64_t length =
      op.getFftLength() ? static_cast<int64_t>(*op.getFftLength()) : size;
  int64_t rows = 1;
  for (int64_t i = 0; i + 1 < x.rank(); ++i)
    rows *= x.shape[i];
  Fourier fourier(x.kind, /*isInverse=*/false);
  Row result;
  for (int64_t row = 0; row < rows; ++row) {
    Row pairs(2 * length, Element::exact(0));
    for (int64_t i = 0; i < std::min(size, length); ++i)
      pairs[2 * i] = x.elements[row * size + i];
    Row y = length ? fourier(pairs) : pairs;
    y.resize(length ? 2 * (length / 2 + 1) : 2, Element::exact(0));
    llvm::append_range(result, y);
  }
  frame.setElements(op.getY(), std::move(result));
  return success();
}

LogicalResult irfft(IrfftOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  Tensor y = Tensor::ofType(op.getY().getType());
  int64_t places = x.shape[x.rank() - 2], length = y.shape.back();
  Fourier fourier(x.kind, /*isInverse=*/true);
  for (int64_t row = 0; length && row < y.size() / length; ++row) {
    Row pairs(2 * length, Element::exact(0));
    for (int64_t i = 0; i < std::min(places, length / 2 + 1); ++i) {
      const Element &re = x.elements[2 * (row * places + i)];
      const Element &im = x.elements[2 * (row * places + i) + 1];
      int64_t other = (length - i) % length;
      pairs[2 * i] = pairs[2 * other] = re;
      // Of a place that is its own conjugate it does not count.
      if (other != i) {
        pairs[2 * i + 1] = im;
        pairs[2 * other + 1] = {-im.value, -im.high, -im.low, -im.slope};
      }
    }
    Row whole = fourier(pairs);
    for (int64_t i = 0; i < length; ++i)
      y.elements[row * length + i] = whole[2 * i];
  }
  frame.set(op.getY(), std::move(y));
  return success();
}

/// By the table that it is given.
LogicalResult dft(DftOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX()), &roots = frame.get(op.getRoots());
  FloatMath math(x.kind);
  int64_t count = x.shape[x.rank() - 2];
  frame.setElements(
      op.getY(), eachRow(x.elements, 2 * count, [&](const Row &x) {
        Row y;
        for (int64_t k = 0; k < count; ++k) {
          Row re, im;
          for (int64_t j = 0; j < count; ++j) {
            const Element &a = x[2 * j], &b = x[2 * j + 1];
            const Element &c = roots.elements[2 * (j * k % count)];
            const Element &own = roots.elements[2 * (j * k % count) + 1];
            Element s = op.getConjugate() ? math.neg(own) : own;
            re.push_back(math.mul(a, c));
            re.push_back(math.neg(math.mul(b, s)));
            im.push_back(math.mul(a, s));
            im.push_back(math.mul(b, c));
          }
          y.push_back(math.sum(re));
          y.push_back(math.sum(im));
        }
        if (!isFinite(x))
          for (Element &each : y)
            each = Element::anything(each.value, each.slope);
        return y;
      }));
  return success();
}

} // namespace

void addSpectralOps(OpTable &table) {
  table.add<FftOp>(transform<false, FftOp>);
  table.add<IfftOp>(transform<true, IfftOp>);
  table.add<Fft2dOp>(transformTwo<false, Fft2dOp>);
  table.add<Ifft2dOp>(transformTwo<true, Ifft2dOp>);
  table.add<RfftOp>(rfft);
  table.add<IrfftOp>(irfft);
  table.add<DftOp>(dft);
}

} // namespace graphc::interpreter
