// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summaries: what a training shows of itself, in the steps that write it.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRSUMMARYOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRSUMMARYOPS

include "dialects/tfir/ops/TfirStateOps.td"

class Tfir_SummaryOp<string mnemonic> :
    Tfir_Op<"summary." # mnemonic, [DeclareOpInterfaceMethods<Tfir_Summary>]> {
  let hasVerifier = 1;
}

def Tfir_SummaryScalarOp : Tfir_SummaryOp<"scalar"> {
  let summary = "shows a number over the steps";
  let description = [{
    As `tf.summary.scalar`. The tag is what TensorBoard shows it by, within the
    scopes that the op is in; characters other than letters, digits and `-/_.`
    become `_`, and a tag that another summary of the graph has gets `_1`. All
    summaries of a graph are computed and written together, in the steps that
    write them ([summaries.md](summaries.md)), and in no other.

    - (C1) the value has no dimensions
    - (C2) the tag is not empty

    Example: `tfir.summary.scalar "loss", %loss : tensor<f32>`
  }];
  let arguments = (ins StrAttr:$tag, Tfir_NumberOrBoolTensor:$value);
  let assemblyFormat = "$tag `,` $value attr-dict `:` type($value)";
}

def Tfir_SummaryHistogramOp : Tfir_SummaryOp<"histogram"> {
  let summary = "shows how values are distributed, over the steps";
  let description = [{
    As `tf.summary.histogram`, in TensorFlow's buckets; `tfir.summary.scalar`
    specifies tags.

    - (C1) the tag is not empty

    Example: `tfir.summary.histogram "weights", %w : tensor<784x10xf32>`
  }];
  let arguments = (ins StrAttr:$tag, Tfir_NumberTensor:$values);
  let assemblyFormat = "$tag `,` $values attr-dict `:` type($values)";
}

def Tfir_SummaryImageOp : Tfir_SummaryOp<"image"> {
  let summary = "shows the first images of a batch";
  let description = [{
    As `tf.summary.image`: a batch `[images, height, width, channels]`, of bytes, or
    of floats, which are scaled: so that the largest becomes 255 where none is
    negative, else so that 0 becomes 127 and the largest magnitude 0 or 255. The tags are
    `TAG/image` for `max_outputs = 1`, else `TAG/image/0` and so on.

    - (C1) rank 4, with 1, 3 or 4 channels
    - (C2) max_outputs >= 1
    - (C3) the tag is not empty

    Example: `tfir.summary.image "input", %x : tensor<8x28x28x1xf32>`
  }];
  let arguments = (ins StrAttr:$tag,
                       RankedTensorOf<[F32, Tfir_UI8]>:$images,
                       DefaultValuedAttr<I64Attr, "3">:$max_outputs);
  let assemblyFormat = "$tag `,` $images attr-dict `:` type($images)";
}

def Tfir_SummaryTextOp : Tfir_SummaryOp<"text"> {
  let summary = "shows a text, as Markdown";
  let description = [{
    As `tf.summary.text` of a scalar.

    - (C1) the text has no dimensions
    - (C2) the tag is not empty

    Example: `tfir.summary.text "notes", %notes : tensor<!tfir.string>`
  }];
  let arguments = (ins StrAttr:$tag, RankedTensorOf<[Tfir_StringType]>:$text);
  let assemblyFormat = "$tag `,` $text attr-dict `:` type($text)";
}

def Tfir_SummaryAudioOp : Tfir_SummaryOp<"audio"> {
  let summary = "lets one hear the first sounds of a batch";
  let description = [{
    As `tf.summary.audio`: a batch `[sounds, frames, channels]` or
    `[sounds, frames]` of samples in [-1, 1], `sample_rate` of them per second. The
    tags are `TAG/audio` for `max_outputs = 1`, else `TAG/audio/0` and so on.

    - (C1) rank 2 or 3
    - (C2) sample_rate > 0
    - (C3) max_outputs >= 1
    - (C4) the tag is not empty

    Example: `tfir.summary.audio "voice", %x {sample_rate = 8000.0} : tensor<2x4000xf32>`
  }];
  let arguments = (ins StrAttr:$tag, Tfir_F32Tensor:$audio,
                       F64Attr:$sample_rate,
                       DefaultValuedAttr<I64Attr, "3">:$max_outputs);
  let assemblyFormat = "$tag `,` $audio attr-dict `:` type($audio)";
}

def Tfir_SummaryPrCurveOp : Tfir_SummaryOp<"pr_curve"> {
  let summary = "shows precision and recall of a binary classifier";
  let description = [{
    As `pr_curve` of TensorBoard's plugin: `predictions` are probabilities, compared
    with `num_thresholds` thresholds from 0 to 1.

    - (C1) labels and predictions have one shape
    - (C2) num_thresholds >= 2
    - (C3) the tag is not empty

    Example:

    ```mlir
    tfir.summary.pr_curve "digits", %l, %p : tensor<8xi1>, tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$tag, Tfir_BoolTensor:$labels,
                       Tfir_F32Tensor:$predictions,
                       DefaultValuedAttr<I64Attr, "201">:$num_thresholds);
  let assemblyFormat = [{
    $tag `,` $labels `,` $predictions attr-dict `:` type($labels) `,`
    type($predictions)
  }];
}

#endif
