// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The feature columns of TensorFlow 1.x, as attributes that wrap each other.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATURECOLUMNS
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATURECOLUMNS

include "dialects/tfir/TfirAttrBase.td"
include "dialects/tfir/ops/features/TfirColumnInterfaces.td"

//===-- Parameters --------------------------------------------------------===//

// A column in another; the attribute that wraps it checks whether it may.
class Tfir_Column<string desc> : AttrParameter<"::mlir::Attribute", desc> {
  let parser = "::graphc::tfir::parseColumn($_parser)";
  let printer = "$_printer << $_self";
}

// A list of keys and columns.
class Tfir_CrossedKeys<string desc> : AttrParameter<"::mlir::ArrayAttr", desc> {
  let parser = "::graphc::tfir::parseCrossedKeys($_parser)";
  let printer = "$_printer << $_self";
}

// A list of integers between brackets.
class Tfir_Integers<string desc> : AttrParameter<"::mlir::DenseI64ArrayAttr", desc> {
  let parser = "::graphc::tfir::parseIntegers($_parser)";
  let printer = "$_self.print($_printer)";
}
class Tfir_DefaultIntegers<string desc, string value> : Tfir_Integers<desc> {
  let defaultValue = "::mlir::DenseI64ArrayAttr::get($_ctxt, " # value # ")";
}

class Tfir_ColumnAttr<string name, string attrMnemonic, list<Trait> traits> :
    Tfir_Attr<name, attrMnemonic,
              [DeclareAttrInterfaceMethods<Tfir_FeatureColumn>] # traits> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
class Tfir_DenseColumnAttr<string name, string attrMnemonic> :
    Tfir_ColumnAttr<name, attrMnemonic,
                    [DeclareAttrInterfaceMethods<Tfir_DenseColumn>]>;
class Tfir_CategoricalColumnAttr<string name, string attrMnemonic> :
    Tfir_ColumnAttr<name, attrMnemonic,
                    [DeclareAttrInterfaceMethods<Tfir_CategoricalColumn>]>;

//===-- Numbers -----------------------------------------------------------===//

def Tfir_NumericColumnAttr :
    Tfir_DenseColumnAttr<"NumericColumn", "numeric_column"> {
  let summary = "the numbers of a feature";
  let description = [{
    `(x - mean) / scale` in f32, which stands for TensorFlow's `normalizer_fn`. An
    example of the feature has the dimensions `shape`, or is a single number where
    these have one element. Its column has the name of its key.

    - (C1) the key is not empty
    - (C2) the sizes in `shape` are at least 1, and their product less than 2^31
    - (C3) `scale` is not 0

    Example: `#tfir.numeric_column<key = "income", mean = 30.0, scale = 10.0>`
  }];
  let parameters = (ins "::mlir::StringAttr":$key,
                        Tfir_DefaultIntegers<"dimensions of an example", "{1}">:$shape,
                        Tfir_DefaultNumber<"what is subtracted", "0.0">:$mean,
                        Tfir_DefaultNumber<"what is divided by", "1.0">:$scale);
}

def Tfir_BucketizedColumnAttr :
    Tfir_ColumnAttr<"BucketizedColumn", "bucketized_column",
                    [DeclareAttrInterfaceMethods<Tfir_DenseColumn>,
                     DeclareAttrInterfaceMethods<Tfir_CategoricalColumn>]> {
  let summary = "between which boundaries each number of a numeric column lies";
  let description = [{
    A boundary begins a bucket, as in `tfir.bucketize`: of n boundaries there are
    n + 1 buckets. As numbers they are 1 at the bucket and 0 elsewhere, for each
    number of the source; as categories, the buckets of the second number of a source
    come after those of the first, and so on. The name is the source's with
    `_bucketized`.

    - (C1) the source is a `numeric_column`, of one dimension
    - (C2) there is a boundary at least, and as f32 they ascend
    - (C3) there are less than 2^31 buckets

    Example: `#tfir.bucketized_column<source_column = #tfir.numeric_column<key = "age">,
    boundaries = [18.0, 25.0]>`
  }];
  let parameters = (ins Tfir_Column<"numeric column">:$source_column,
                        Tfir_Numbers<"first numbers of buckets">:$boundaries);
}

//===-- Categories --------------------------------------------------------===//

def Tfir_IdentityColumnAttr :
    Tfir_CategoricalColumnAttr<"IdentityColumn", "categorical_column_with_identity"> {
  let summary = "integers that are categories themselves";
  let description = [{
    Integers from 0 to below `num_buckets` are categories. -1 is a missing value, as
    in each categorical column of TensorFlow; any other integer is the category
    `default_value`, or none where that is -1. The name is the key.

    - (C1) the key is not empty
    - (C2) num_buckets >= 1
    - (C3) default_value is from -1 to below num_buckets

    Example: `#tfir.categorical_column_with_identity<key = "town", num_buckets = 50>`
  }];
  let parameters = (ins "::mlir::StringAttr":$key, "int64_t":$num_buckets,
                        DefaultValuedParameter<"int64_t", "-1">:$default_value);
}

def Tfir_VocabularyColumnAttr :
    Tfir_CategoricalColumnAttr<"VocabularyColumn",
                               "categorical_column_with_vocabulary_list"> {
  let summary = "the places of integers in a list";
  let description = [{
    What is not in the list is the category `default_value`, or none where that is -1;
    with `num_oov_buckets`, one of as many more categories, by its hash as
    `tfir.hash_bucket` has it. -1 is a missing value. The name is the key.

    - (C1) the key is not empty
    - (C2) the list has integers, each once, and not -1
    - (C3) default_value is from -1 to below the length of the list
    - (C4) num_oov_buckets >= 0, and 0 with a default_value

    Example: `#tfir.categorical_column_with_vocabulary_list<key = "job",
    vocabulary_list = [101, 205]>`
  }];
  let parameters = (ins "::mlir::StringAttr":$key,
                        Tfir_Integers<"integers that are categories">:$vocabulary_list,
                        DefaultValuedParameter<"int64_t", "-1">:$default_value,
                        DefaultValuedParameter<"int64_t", "0">:$num_oov_buckets);
}

def Tfir_HashColumnAttr :
    Tfir_CategoricalColumnAttr<"HashColumn", "categorical_column_with_hash_bucket"> {
  let summary = "categories of integers by their hash";
  let description = [{
    That of `tfir.hash_bucket`, which is another one than TensorFlow's. -1 is a
    missing value. The name is the key.

    - (C1) the key is not empty
    - (C2) hash_bucket_size >= 1

    Example: `#tfir.categorical_column_with_hash_bucket<key = "town",
    hash_bucket_size = 1000>`
  }];
  let parameters = (ins "::mlir::StringAttr":$key, "int64_t":$hash_bucket_size);
}

def Tfir_CrossedColumnAttr :
    Tfir_CategoricalColumnAttr<"CrossedColumn", "crossed_column"> {
  let summary = "categories of several values together, by their hash";
  let description = [{
    Each of `keys` is the key of a feature of integers, or a column of categories; in
    place of a crossed column in it stand that column's own keys. Each value of the
    first with each of the second and so on, the last one fastest, is hashed in this
    order by `tfir.hash_bucket` with the seed `hash_key`. A missing value, or one that
    is no category, is in no combination. The name is that of the keys in alphabetical
    order with `_X_` between them.

    - (C1) there are two keys at least, and none is empty
    - (C2) a column among them has categories, and is not
      `categorical_column_with_hash_bucket`, whose key stands for it
    - (C3) hash_bucket_size >= 1

    Example: `#tfir.crossed_column<keys = ["town", "job"], hash_bucket_size = 5000>`
  }];
  let parameters = (ins Tfir_CrossedKeys<"keys of features, and columns">:$keys,
                        "int64_t":$hash_bucket_size,
                        DefaultValuedParameter<"int64_t", "0">:$hash_key);
}

//===-- Numbers of categories ---------------------------------------------===//

def Tfir_IndicatorColumnAttr :
    Tfir_DenseColumnAttr<"IndicatorColumn", "indicator_column"> {
  let summary = "how often an example has each category";
  let description = [{
    Zeros but for the categories of an example. The name is the column's with
    `_indicator`.

    - (C1) the column has categories, less than 2^31

    Example: `#tfir.indicator_column<categorical_column =
    #tfir.categorical_column_with_identity<key = "town", num_buckets = 50>>`
  }];
  let parameters = (ins Tfir_Column<"column of categories">:$categorical_column);
}

def Tfir_EmbeddingColumnAttr :
    Tfir_DenseColumnAttr<"EmbeddingColumn", "embedding_column"> {
  let summary = "rows of a table for the categories of an example";
  let description = [{
    The operand with the key `table` has a row for each category. Those of the
    categories of an example are added ("sum"), and divided by their number ("mean")
    or its root ("sqrtn"); an example without any has zeros. The name is the column's
    with `_embedding`. Columns may share a table.

    - (C1) the column has categories
    - (C2) the key of the table is not empty
    - (C3) `combiner` is "mean", "sum" or "sqrtn"

    Example: `#tfir.embedding_column<categorical_column =
    #tfir.categorical_column_with_identity<key = "town", num_buckets = 50>,
    table = "towns", combiner = "sum">`
  }];
  let parameters = (ins Tfir_Column<"column of categories">:$categorical_column,
                        "::mlir::StringAttr":$table,
                        DefaultValuedParameter<"::mlir::StringAttr",
                            "::mlir::StringAttr::get($_ctxt, \"mean\")">:$combiner);
}

// Any attributes with the interface.
def Tfir_FeatureColumns : TypedArrayAttrBase<
    Attr<CPred<"::llvm::isa<::graphc::tfir::FeatureColumnAttrInterface>($_self)">,
         "a feature column">, "feature columns">;

#endif
