// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feature columns: which may wrap which, their names and keys, and the types of
// what they read.
#include "dialects/tfir/ops/features/FeatureColumns.h"

#include "dialects/tfir/Support.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc::tfir;

using EmitError = function_ref<InFlightDiagnostic()>;

#include "dialects/tfir/TfirColumnInterfaces.cpp.inc"

//===-- Parameters --------------------------------------------------------===//

FailureOr<Attribute> graphc::tfir::parseColumn(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute column;
  if (failed(parser.parseAttribute(column)))
    return failure();
  if (isa<FeatureColumnAttrInterface>(column))
    return column;
  return parser.emitError(loc, "expected a feature column, such as "
                               "#tfir.numeric_column<key = \"age\">");
}

FailureOr<ArrayAttr> graphc::tfir::parseCrossedKeys(AsmParser &parser) {
  SmallVector<Attribute> keys;
  auto parseOne = [&] { return parser.parseAttribute(keys.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  return parser.getBuilder().getArrayAttr(keys);
}

FailureOr<DenseI64ArrayAttr> graphc::tfir::parseIntegers(AsmParser &parser) {
  SmallVector<int64_t> integers;
  auto parseOne = [&] { return parser.parseInteger(integers.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  return parser.getBuilder().getDenseI64ArrayAttr(integers);
}

//===-- What columns have in common ---------------------------------------===//

Value Features::find(StringAttr key) const {
  for (auto [own, value] :
       llvm::zip(keys.getAsRange<StringAttr>(), owner->getOperands()))
    if (own == key)
      return value;
  return {};
}

RankedTensorType Features::typeOf(StringAttr key) const {
  return tensorType(find(key));
}

static FeatureColumnAttrInterface asColumn(Attribute column) {
  return cast<FeatureColumnAttrInterface>(column);
}

/// `numeric_column 'age'`
static std::string describe(Attribute column) {
  FeatureColumnAttrInterface known = asColumn(column);
  return known.getColumnKind().str() + " '" + known.getColumnName() + "'";
}

static LogicalResult checkKey(EmitError emitError, StringRef kind,
                              StringAttr key) {
  if (!key.getValue().empty())
    return success();
  return emitError() << "the key of a " << kind
                     << " is empty, expected a name such as \"age\"";
}

static LogicalResult checkAtLeast(EmitError emitError, StringRef name,
                                  int64_t value, int64_t least) {
  if (value >= least)
    return success();
  return emitError() << name << " is " << value << ", expected at least "
                     << least;
}

/// The category of what is none: -1, or one of `categories`.
static LogicalResult checkDefault(EmitError emitError, int64_t value,
                                  int64_t categories) {
  if (value >= -1 && value < categories)
    return success();
  return emitError() << "default_value is " << value
                     << ", expected one of the categories from 0 to "
                     << categories - 1 << ", or -1 for none";
}

static LogicalResult checkCategorical(EmitError emitError, StringRef kind,
                                      Attribute column) {
  if (isa<CategoricalColumnAttrInterface>(column))
    return success();
  return emitError() << kind << " wraps the " << describe(column)
                     << ", which has no categories; expected a column of "
                        "categories"
                     << (isa<NumericColumnAttr>(column)
                             ? ", such as a bucketized_column of it"
                             : "");
}

static int64_t bucketsOf(Attribute column) {
  return cast<CategoricalColumnAttrInterface>(column).getNumBuckets();
}

/// Checks a feature of which each example has integers.
static LogicalResult verifyIntegers(const Features &features, StringAttr key,
                                    StringRef kind) {
  RankedTensorType type = features.typeOf(key);
  Type element = type.getElementType();
  bool fits = isWholeNumber(element) && !element.isUnsignedInteger(64);
  if (fits && (type.getRank() == 1 || type.getRank() == 2))
    return success();
  return features.error() << "feature '" << key.getValue() << "' has type "
                          << type << ", but a " << kind
                          << " takes integers up to i64; expected them with "
                             "the dimensions [batch] or [batch, n]";
}

//===-- numeric_column ----------------------------------------------------===//

/// The numbers of an example; nothing for too many.
static std::optional<int64_t> countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 1 || llvm::MulOverflow(count, size, count) ||
        count > kMostColumnWidth)
      return std::nullopt;
  return count;
}

LogicalResult NumericColumnAttr::verify(EmitError emitError, StringAttr key,
                                        DenseI64ArrayAttr shape, Number,
                                        Number scale) {
  if (failed(checkKey(emitError, getMnemonic(), key))) // (C1)
    return failure();
  if (!countOf(shape)) // (C2)
    return emitError() << "the numeric_column '" << key.getValue()
                       << "' has a shape with less than 1 or more than "
                       << kMostColumnWidth << " numbers";
  if (scale.value == 0) // (C3)
    return emitError() << "the numeric_column '" << key.getValue()
                       << "' is divided by a scale of 0";
  return success();
}

std::string NumericColumnAttr::getColumnName() const {
  return getKey().getValue().str();
}

void NumericColumnAttr::collectKeys(ColumnKeys &keys) const {
  keys.features.insert(getKey());
}

LogicalResult NumericColumnAttr::verifyTypes(const Features &features) const {
  RankedTensorType type = features.typeOf(getKey());
  Type element = type.getElementType();
  bool isNumber = isa<FloatType>(element) || isWholeNumber(element);
  ArrayRef<int64_t> shape = getShape().asArrayRef();
  bool isScalar = type.getRank() == 1 && countOf(shape) == 1;
  if (isNumber &&
      (isScalar ||
       (type.getRank() > 0 &&
        succeeded(verifyCompatibleShape(type.getShape().drop_front(), shape)))))
    return success();
  InFlightDiagnostic error =
      features.error() << "feature '" << getKey().getValue() << "' has type "
                       << type << ", but its numeric_column takes numbers of ";
  error << "[batch";
  for (int64_t size : shape)
    error << ", " << size;
  return error << "]; expected these, or another 'shape' of the column";
}

int64_t NumericColumnAttr::getWidth(const Features &) const {
  return *countOf(getShape());
}

//===-- bucketized_column -------------------------------------------------===//

LogicalResult BucketizedColumnAttr::verify(EmitError emitError,
                                           Attribute source,
                                           ArrayAttr boundaries) {
  auto numeric = dyn_cast<NumericColumnAttr>(source);
  if (!numeric) // (C1)
    return emitError() << "bucketized_column wraps the " << describe(source)
                       << ", expected a numeric_column";
  StringRef key = numeric.getKey();
  if (numeric.getShape().size() != 1) // (C1)
    return emitError() << "bucketized_column wraps the numeric_column '" << key
                       << "' of " << numeric.getShape().size()
                       << " dimensions, expected one of 1, such as [8]";
  if (boundaries.empty()) // (C2)
    return emitError() << "boundaries of the bucketized_column of '" << key
                       << "' are empty, expected one at least";
  std::optional<float> before;
  for (auto boundary : boundaries.getAsRange<FloatAttr>()) {
    auto next = static_cast<float>(boundary.getValueAsDouble());
    if (before && next <= *before) // (C2)
      return emitError() << "boundaries of the bucketized_column of '" << key
                         << "' do not ascend as f32: " << next << " follows "
                         << *before;
    before = next;
  }
  if (!countOf({numeric.getShape()[0],
                static_cast<int64_t>(boundaries.size()) + 1})) // (C3)
    return emitError() << "the bucketized_column of '" << key
                       << "' has more than " << kMostColumnWidth << " buckets";
  return success();
}

std::string BucketizedColumnAttr::getColumnName() const {
  return asColumn(getSourceColumn()).getColumnName() + "_bucketized";
}

void BucketizedColumnAttr::collectKeys(ColumnKeys &keys) const {
  asColumn(getSourceColumn()).collectKeys(keys);
}

LogicalResult
BucketizedColumnAttr::verifyTypes(const Features &features) const {
  return asColumn(getSourceColumn()).verifyTypes(features);
}

int64_t BucketizedColumnAttr::getNumBuckets() const {
  return *countOf(cast<NumericColumnAttr>(getSourceColumn()).getShape()) *
         (getBoundaries().size() + 1);
}

int64_t BucketizedColumnAttr::getWidth(const Features &) const {
  return getNumBuckets();
}

//===-- Categories of one feature -----------------------------------------===//

LogicalResult IdentityColumnAttr::verify(EmitError emitError, StringAttr key,
                                         int64_t buckets, int64_t byDefault) {
  if (failed(checkKey(emitError, getMnemonic(), key)) ||          // (C1)
      failed(checkAtLeast(emitError, "num_buckets", buckets, 1))) // (C2)
    return failure();
  return checkDefault(emitError, byDefault, buckets); // (C3)
}

std::string IdentityColumnAttr::getColumnName() const {
  return getKey().getValue().str();
}

void IdentityColumnAttr::collectKeys(ColumnKeys &keys) const {
  keys.features.insert(getKey());
}

LogicalResult IdentityColumnAttr::verifyTypes(const Features &features) const {
  return verifyIntegers(features, getKey(), getMnemonic());
}

LogicalResult VocabularyColumnAttr::verify(EmitError emitError, StringAttr key,
                                           DenseI64ArrayAttr vocabulary,
                                           int64_t byDefault, int64_t others) {
  if (failed(checkKey(emitError, getMnemonic(), key))) // (C1)
    return failure();
  if (vocabulary.empty()) // (C2)
    return emitError() << "vocabulary_list of '" << key.getValue()
                       << "' is empty, expected integers such as [101, 205]";
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t word : vocabulary.asArrayRef()) {
    if (word == -1) // (C2)
      return emitError() << "vocabulary_list of '" << key.getValue()
                         << "' has -1, which is a missing value";
    if (!seen.insert(word).second) // (C2)
      return emitError() << "vocabulary_list of '" << key.getValue() << "' has "
                         << word << " twice";
  }
  if (failed(checkDefault(emitError, byDefault, vocabulary.size())) || // (C3)
      failed(checkAtLeast(emitError, "num_oov_buckets", others, 0)))   // (C4)
    return failure();
  if (others > 0 && byDefault != -1) // (C4)
    return emitError() << "has num_oov_buckets of " << others
                       << " and the default_value " << byDefault
                       << ", expected one of both";
  if (int64_t all = 0;
      llvm::AddOverflow<int64_t>(vocabulary.size(), others, all)) // (C4)
    return emitError() << "num_oov_buckets is " << others
                       << ", with the vocabulary more than 64 bits count";
  return success();
}

std::string VocabularyColumnAttr::getColumnName() const {
  return getKey().getValue().str();
}

void VocabularyColumnAttr::collectKeys(ColumnKeys &keys) const {
  keys.features.insert(getKey());
}

LogicalResult
VocabularyColumnAttr::verifyTypes(const Features &features) const {
  return verifyIntegers(features, getKey(), getMnemonic());
}

int64_t VocabularyColumnAttr::getNumBuckets() const {
  return getVocabularyList().size() + getNumOovBuckets();
}

LogicalResult HashColumnAttr::verify(EmitError emitError, StringAttr key,
                                     int64_t buckets) {
  if (failed(checkKey(emitError, getMnemonic(), key))) // (C1)
    return failure();
  return checkAtLeast(emitError, "hash_bucket_size", buckets, 1); // (C2)
}

std::string HashColumnAttr::getColumnName() const {
  return getKey().getValue().str();
}

void HashColumnAttr::collectKeys(ColumnKeys &keys) const {
  keys.features.insert(getKey());
}

LogicalResult HashColumnAttr::verifyTypes(const Features &features) const {
  return verifyIntegers(features, getKey(), getMnemonic());
}

int64_t HashColumnAttr::getNumBuckets() const { return getHashBucketSize(); }

//===-- crossed_column ----------------------------------------------------===//

/// (C2)
static LogicalResult checkCrossed(EmitError emitError, Attribute key) {
  if (auto hash = dyn_cast<HashColumnAttr>(key))
    return emitError() << "crossed_column has the " << describe(hash)
                       << ", whose hash would be hashed again; write its key \""
                       << hash.getKey().getValue() << "\" in its place";
  if (isa<FeatureColumnAttrInterface>(key))
    return checkCategorical(emitError, CrossedColumnAttr::getMnemonic(), key);
  return emitError() << "crossed_column has " << key
                     << " among its keys, expected keys of features, such as "
                        "\"town\", and columns of categories";
}

LogicalResult CrossedColumnAttr::verify(EmitError emitError, ArrayAttr keys,
                                        int64_t buckets, int64_t) {
  if (keys.size() < 2) // (C1)
    return emitError() << "crossed_column has " << keys.size()
                       << " keys, expected at least 2";
  for (Attribute key : keys) {
    if (auto name = dyn_cast<StringAttr>(key)) {
      if (failed(checkKey(emitError, getMnemonic(), name))) // (C1)
        return failure();
    } else if (failed(checkCrossed(emitError, key))) {
      return failure();
    }
  }
  return checkAtLeast(emitError, "hash_bucket_size", buckets, 1); // (C3)
}

SmallVector<Attribute> graphc::tfir::leavesOf(CrossedColumnAttr column) {
  SmallVector<Attribute> leaves;
  for (Attribute key : column.getKeys())
    if (auto inner = dyn_cast<CrossedColumnAttr>(key))
      llvm::append_range(leaves, leavesOf(inner));
    else
      leaves.push_back(key);
  return leaves;
}

std::string CrossedColumnAttr::getColumnName() const {
  SmallVector<std::string> names;
  for (Attribute leaf : leavesOf(*this)) {
    auto key = dyn_cast<StringAttr>(leaf);
    names.push_back(key ? key.getValue().str()
                        : asColumn(leaf).getColumnName());
  }
  llvm::sort(names);
  return llvm::join(names, "_X_");
}

void CrossedColumnAttr::collectKeys(ColumnKeys &keys) const {
  for (Attribute leaf : leavesOf(*this))
    if (auto key = dyn_cast<StringAttr>(leaf))
      keys.features.insert(key);
    else
      asColumn(leaf).collectKeys(keys);
}

/// The values that an example has of a key, or of a column with one key.
static int64_t valuesOf(const Features &features, Attribute leaf) {
  if (auto buckets = dyn_cast<BucketizedColumnAttr>(leaf))
    return cast<NumericColumnAttr>(buckets.getSourceColumn())
        .getWidth(features);
  ColumnKeys keys;
  if (auto key = dyn_cast<StringAttr>(leaf))
    keys.features.insert(key);
  else
    asColumn(leaf).collectKeys(keys);
  RankedTensorType type = features.typeOf(keys.features.front());
  return type.getRank() == 1 ? 1 : type.getDimSize(1);
}

LogicalResult CrossedColumnAttr::verifyTypes(const Features &features) const {
  int64_t all = 1;
  for (Attribute leaf : leavesOf(*this)) {
    auto key = dyn_cast<StringAttr>(leaf);
    if (failed(key ? verifyIntegers(features, key, getMnemonic())
                   : asColumn(leaf).verifyTypes(features)))
      return failure();
    int64_t own = valuesOf(features, leaf);
    if (!ShapedType::isDynamic(own) && own > 0)
      all = llvm::MulOverflow(all, own, all)
                ? kMostColumnWidth + 1
                : std::min(all, kMostColumnWidth + 1);
  }
  if (all <= kMostColumnWidth)
    return success();
  return features.error() << "the crossed_column '" << getColumnName()
                          << "' has more than " << kMostColumnWidth
                          << " combinations in an example";
}

int64_t CrossedColumnAttr::getNumBuckets() const { return getHashBucketSize(); }

//===-- indicator_column --------------------------------------------------===//

LogicalResult IndicatorColumnAttr::verify(EmitError emitError,
                                          Attribute column) {
  if (failed(checkCategorical(emitError, getMnemonic(), column))) // (C1)
    return failure();
  if (bucketsOf(column) <= kMostColumnWidth) // (C1)
    return success();
  return emitError() << "indicator_column of the " << describe(column)
                     << " has a number for each of " << bucketsOf(column)
                     << " categories, at most " << kMostColumnWidth
                     << " are possible; hash them into fewer";
}

std::string IndicatorColumnAttr::getColumnName() const {
  return asColumn(getCategoricalColumn()).getColumnName() + "_indicator";
}

void IndicatorColumnAttr::collectKeys(ColumnKeys &keys) const {
  asColumn(getCategoricalColumn()).collectKeys(keys);
}

LogicalResult IndicatorColumnAttr::verifyTypes(const Features &features) const {
  return asColumn(getCategoricalColumn()).verifyTypes(features);
}

int64_t IndicatorColumnAttr::getWidth(const Features &) const {
  return bucketsOf(getCategoricalColumn());
}

//===-- embedding_column --------------------------------------------------===//

LogicalResult EmbeddingColumnAttr::verify(EmitError emitError, Attribute column,
                                          StringAttr table,
                                          StringAttr combiner) {
  if (failed(checkCategorical(emitError, getMnemonic(), column))) // (C1)
    return failure();
  if (table.getValue().empty()) // (C2)
    return emitError() << "the table of the embedding_column of '"
                       << asColumn(column).getColumnName()
                       << "' is empty, expected the key of an operand";
  if (!llvm::is_contained({"mean", "sum", "sqrtn"},
                          combiner.getValue())) // (C3)
    return emitError() << "combiner is '" << combiner.getValue()
                       << "', expected 'mean', 'sum' or 'sqrtn'";
  return success();
}

std::string EmbeddingColumnAttr::getColumnName() const {
  return asColumn(getCategoricalColumn()).getColumnName() + "_embedding";
}

void EmbeddingColumnAttr::collectKeys(ColumnKeys &keys) const {
  asColumn(getCategoricalColumn()).collectKeys(keys);
  keys.tables.insert(getTable());
}

LogicalResult EmbeddingColumnAttr::verifyTypes(const Features &features) const {
  RankedTensorType type = features.typeOf(getTable());
  int64_t buckets = bucketsOf(getCategoricalColumn());
  if (type.getElementType().isF32() && type.getRank() == 2 &&
      (type.isDynamicDim(0) || type.getDimSize(0) == buckets))
    return asColumn(getCategoricalColumn()).verifyTypes(features);
  return features.error() << "table '" << getTable().getValue() << "' has type "
                          << type << ", but the "
                          << describe(getCategoricalColumn()) << " has "
                          << buckets << " categories; expected f32 of ["
                          << buckets << ", size], a row for each";
}

int64_t EmbeddingColumnAttr::getWidth(const Features &features) const {
  return features.typeOf(getTable()).getDimSize(1);
}
