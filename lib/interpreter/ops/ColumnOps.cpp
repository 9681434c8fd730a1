// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of feature columns, example by example.
#include "dialects/tfir/ops/features/FeatureColumns.h"
#include "dialects/tfir/ops/features/TfirFeatureOps.h"
#include "lib/interpreter/ElementMap.h"
#include "lib/interpreter/ops/FeatureOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Elements = std::vector<Element>;

/// The name of a column in TensorFlow, or a key.
std::string nameOf(Attribute column) {
  return TypeSwitch<Attribute, std::string>(column)
      .Case<StringAttr>([](auto key) { return key.str(); })
      .Case<NumericColumnAttr, IdentityColumnAttr, VocabularyColumnAttr,
            HashColumnAttr>([](auto own) { return own.getKey().str(); })
      .Case<BucketizedColumnAttr>([](auto own) {
        return nameOf(own.getSourceColumn()) + "_bucketized";
      })
      .Case<IndicatorColumnAttr>([](auto own) {
        return nameOf(own.getCategoricalColumn()) + "_indicator";
      })
      .Case<EmbeddingColumnAttr>([](auto own) {
        return nameOf(own.getCategoricalColumn()) + "_embedding";
      })
      .Case<CrossedColumnAttr>([](CrossedColumnAttr own) {
        std::vector<std::string> names;
        for (Attribute leaf : leavesOf(own))
          names.push_back(nameOf(leaf));
        std::sort(names.begin(), names.end());
        return llvm::join(names, "_X_");
      });
}

/// The columns of one example.
class Example {
public:
  Example(ArrayAttr keys, OperandRange operands, Frame &frame, int64_t number)
      : keys(keys), operands(operands), frame(frame), number(number) {}

  /// The numbers of a column.
  Elements numbers(Attribute column);
  /// The rows of a table for the categories of a column.
  Elements rows(Attribute column, StringAttr key, StringRef combiner);
  const Tensor &operand(StringAttr key);

private:
  Elements feature(StringAttr key);
  Elements integers(StringAttr key);
  Elements categories(Attribute column);
  Elements numeric(NumericColumnAttr column);
  Elements buckets(BucketizedColumnAttr column);
  Elements crossed(CrossedColumnAttr column);
  Elements indicator(Attribute column, int64_t count);

  ArrayAttr keys;
  OperandRange operands;
  Frame &frame;
  int64_t number;
  FloatMath math{ElementKind::F32};
};

const Tensor &Example::operand(StringAttr key) {
  size_t place = 0;
  while (keys[place] != key)
    ++place;
  return frame.get(operands[place]);
}

/// The elements of the example in a feature.
Elements Example::feature(StringAttr key) {
  const Tensor &all = operand(key);
  int64_t size = all.size() / all.shape[0];
  auto begin = all.elements.begin() + number * size;
  return Elements(begin, begin + size);
}

Elements Example::integers(StringAttr key) {
  Elements values = feature(key);
  for (Element &value : values)
    value = castElement(value, operand(key).kind, ElementKind::I64);
  return values;
}

Elements Example::numeric(NumericColumnAttr column) {
  Elements values = feature(column.getKey());
  for (Element &value : values) {
    value = castElement(value, operand(column.getKey()).kind, ElementKind::F32);
    auto mean = static_cast<float>(column.getMean());
    auto scale = static_cast<float>(column.getScale());
    if (mean != 0)
      value = math.sub(value, Element::exact(mean));
    if (scale != 1)
      value = math.div(value, Element::exact(scale));
  }
  return values;
}

/// Of each number, counted from 0 for each.
Elements Example::buckets(BucketizedColumnAttr column) {
  Elements found;
  for (const Element &value :
       numeric(cast<NumericColumnAttr>(column.getSourceColumn()))) {
    Element bucket = Element::of(0);
    for (auto boundary : column.getBoundaries().getAsRange<FloatAttr>()) {
      auto begin = static_cast<float>(boundary.getValueAsDouble());
      Truth below = less(value, Element::exact(begin));
      bucket.integer += !below.value;
      bucket.isKnown &= below.isKnown;
    }
    found.push_back(bucket);
  }
  return found;
}

/// All combinations of a value of each, the last one fastest.
Elements Example::crossed(CrossedColumnAttr column) {
  std::vector<Elements> combinations{{}};
  for (Attribute leaf : leavesOf(column)) {
    auto key = dyn_cast<StringAttr>(leaf);
    Elements own = key ? integers(key) : categories(leaf);
    std::vector<Elements> longer;
    for (const Elements &before : combinations)
      for (const Element &value : own) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    combinations = std::move(longer);
  }
  Elements found;
  for (const Elements &values : combinations) {
    Element hash =
        hashBucketOf(values, column.getHashKey(), column.getHashBucketSize());
    if (llvm::any_of(values, [](const Element &x) { return x.integer == -1; }))
      hash.integer = -1;
    found.push_back(hash);
  }
  return found;
}

/// Those of the example, -1 for none.
Elements Example::categories(Attribute column) {
  if (auto crossing = dyn_cast<CrossedColumnAttr>(column))
    return crossed(crossing);
  Elements found;
  if (auto bucketized = dyn_cast<BucketizedColumnAttr>(column)) {
    found = buckets(bucketized);
    auto count = static_cast<int64_t>(bucketized.getBoundaries().size()) + 1;
    for (size_t i = 0; i < found.size(); ++i)
      found[i].integer += static_cast<int64_t>(i) * count;
    return found;
  }
  StringAttr key =
      TypeSwitch<Attribute, StringAttr>(column)
          .Case<IdentityColumnAttr, VocabularyColumnAttr, HashColumnAttr>(
              [](auto own) { return own.getKey(); });
  for (const Element &value : integers(key)) {
    Integer category = -1;
    if (value.integer == -1) {
      // A missing value.
    } else if (auto identity = dyn_cast<IdentityColumnAttr>(column)) {
      bool isInside =
          value.integer >= 0 && value.integer < identity.getNumBuckets();
      category = isInside ? value.integer : identity.getDefaultValue();
    } else if (auto list = dyn_cast<VocabularyColumnAttr>(column)) {
      ArrayRef<int64_t> words = list.getVocabularyList();
      auto place = llvm::find(words, static_cast<int64_t>(value.integer));
      auto size = static_cast<int64_t>(words.size());
      if (place != words.end())
        category = place - words.begin();
      else if (list.getNumOovBuckets() > 0)
        category =
            size + hashBucketOf(value, 0, list.getNumOovBuckets()).integer;
      else
        category = list.getDefaultValue();
    } else {
      auto hash = cast<HashColumnAttr>(column);
      category = hashBucketOf(value, 0, hash.getHashBucketSize()).integer;
    }
    found.push_back(Element::of(category, value.isKnown));
  }
  return found;
}

bool areKnown(const Elements &categories) {
  return llvm::all_of(categories, [](const Element &x) { return x.isKnown; });
}

/// The number of times that each of `count` categories is there.
Elements Example::indicator(Attribute column, int64_t count) {
  Elements own = categories(column), result(count, Element::exact(0));
  for (const Element &category : own)
    if (category.integer >= 0)
      ++result[category.integer].value;
  for (Element &element : result)
    element = areKnown(own) ? Element::exact(element.value)
                            : Element::anything(element.value);
  return result;
}

Elements Example::rows(Attribute column, StringAttr key, StringRef combiner) {
  const Tensor &table = operand(key);
  Elements own = categories(column), result;
  int64_t size = table.shape[1];
  for (int64_t i = 0; i < size; ++i) {
    Elements terms;
    for (const Element &category : own)
      if (category.integer >= 0)
        terms.push_back(
            table.elements[static_cast<int64_t>(category.integer) * size + i]);
    auto count = static_cast<double>(terms.size());
    Element sum = terms.empty()       ? Element::exact(0)
                  : terms.size() == 1 ? terms[0]
                                      : math.sum(terms);
    if (count > 1 && combiner == "mean")
      sum = math.div(sum, Element::exact(count));
    else if (count > 1 && combiner == "sqrtn")
      sum = math.div(sum, math.sqrt(Element::exact(count)));
    result.push_back(areKnown(own) ? sum
                                   : Element::anything(sum.value, sum.slope));
  }
  return result;
}

Elements Example::numbers(Attribute column) {
  return TypeSwitch<Attribute, Elements>(column)
      .Case<NumericColumnAttr>([&](auto own) { return numeric(own); })
      .Case<BucketizedColumnAttr>([&](BucketizedColumnAttr own) {
        return indicator(own, own.getNumBuckets());
      })
      .Case<IndicatorColumnAttr>([&](IndicatorColumnAttr own) {
        auto inner =
            cast<CategoricalColumnAttrInterface>(own.getCategoricalColumn());
        return indicator(inner, inner.getNumBuckets());
      })
      .Case<EmbeddingColumnAttr>([&](EmbeddingColumnAttr own) {
        return rows(own.getCategoricalColumn(), own.getTable(),
                    own.getCombiner());
      });
}

struct NamedColumn {
  std::string name;
  Attribute column;
  size_t place; ///< in the list
};

std::vector<NamedColumn> sorted(ArrayAttr columns) {
  std::vector<NamedColumn> all;
  for (Attribute column : columns)
    all.push_back({nameOf(column), column, all.size()});
  llvm::sort(all, [](const NamedColumn &x, const NamedColumn &y) {
    return x.name < y.name;
  });
  return all;
}

LogicalResult inputLayer(InputLayerOp op, Frame &frame) {
  Elements all;
  int64_t batch = op.getOutput().getType().getDimSize(0);
  for (int64_t number = 0; number < batch; ++number) {
    Example example(op.getKeys(), op.getFeatures(), frame, number);
    for (const NamedColumn &each : sorted(op.getColumns()))
      llvm::append_range(all, example.numbers(each.column));
  }
  frame.setElements(op.getOutput(), std::move(all));
  return success();
}

/// A unit of the model: what each column adds, and the bias.
Element unitOf(LinearModelOp op, Example &example, int64_t unit) {
  FloatMath math(ElementKind::F32);
  Elements terms;
  for (const NamedColumn &each : sorted(op.getColumns())) {
    auto key = cast<StringAttr>(op.getWeights()[each.place]);
    const Tensor &weights = example.operand(key);
    if (isa<CategoricalColumnAttrInterface>(each.column)) {
      terms.push_back(
          example.rows(each.column, key, op.getSparseCombiner())[unit]);
      continue;
    }
    Elements numbers = example.numbers(each.column), products;
    for (size_t i = 0; i < numbers.size(); ++i)
      products.push_back(
          math.mul(numbers[i], weights.elements[i * weights.shape[1] + unit]));
    terms.push_back(math.sum(products));
  }
  if (op.getBias())
    terms.push_back(example.operand(op.getBiasAttr()).elements[unit]);
  return math.sum(terms);
}

LogicalResult linearModel(LinearModelOp op, Frame &frame) {
  Elements all;
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  for (int64_t number = 0; number < shape[0]; ++number) {
    Example example(op.getKeys(), op.getFeatures(), frame, number);
    for (int64_t unit = 0; unit < shape[1]; ++unit)
      all.push_back(unitOf(op, example, unit));
  }
  frame.setElements(op.getOutput(), std::move(all));
  return success();
}

} // namespace

void addColumnOps(OpTable &table) {
  table.add<InputLayerOp>(inputLayer);
  table.add<LinearModelOp>(linearModel);
}

} // namespace graphc::interpreter
