// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of the examples of a dataset, as `augment` lists them.
#ifndef GRAPHC_DIALECTS_TFIR_DATA_TFIRTRANSFORMS
#define GRAPHC_DIALECTS_TFIR_DATA_TFIRTRANSFORMS

include "dialects/tfir/TfirAttrs.td"

class Tfir_TransformAttr<string name, string attrMnemonic,
                         list<string> methods = []> :
    Tfir_Attr<name, attrMnemonic,
              [DeclareAttrInterfaceMethods<Tfir_Transform, methods>]> {
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_RandomFlipLeftRightAttr :
    Tfir_TransformAttr<"RandomFlipLeftRight", "random_flip_left_right"> {
  let summary = "mirrors every second image, left to right, by chance";
  let description = [{
    Example: `#tfir.random_flip_left_right<field = "image">`
  }];
  let parameters = (ins "::mlir::StringAttr":$field);
}

def Tfir_RandomFlipUpDownAttr :
    Tfir_TransformAttr<"RandomFlipUpDown", "random_flip_up_down"> {
  let summary = "mirrors every second image, top to bottom, by chance";
  let description = [{
    Example: `#tfir.random_flip_up_down<field = "image">`
  }];
  let parameters = (ins "::mlir::StringAttr":$field);
}

def Tfir_RandomCropAttr :
    Tfir_TransformAttr<"RandomCrop", "random_crop",
                       ["getNumbers", "getSourceType"]> {
  let summary = "cuts the image out of a larger one, at a place by chance";
  let description = [{
    The files hold images of `from_height` x `from_width` (0: the size of the field),
    around which `pad` rows and columns of zeros are put first.

    - (C1) no number is negative

    Example: `#tfir.random_crop<field = "image", pad = 4>`
  }];
  let parameters = (ins "::mlir::StringAttr":$field,
                        DefaultValuedParameter<"int64_t", "0">:$pad,
                        DefaultValuedParameter<"int64_t", "0">:$from_height,
                        DefaultValuedParameter<"int64_t", "0">:$from_width);
  let genVerifyDecl = 1;
}

def Tfir_RandomBrightnessAttr :
    Tfir_TransformAttr<"RandomBrightness", "random_brightness",
                       ["getNumbers"]> {
  let summary = "adds a number of [-max_delta, max_delta) to all of an image";
  let description = [{
    Of bytes it is that part of 255, and what is beyond 0 to 255 becomes these.

    - (C1) `max_delta` is not negative

    Example: `#tfir.random_brightness<field = "image", max_delta = 0.2>`
  }];
  let parameters = (ins "::mlir::StringAttr":$field,
                        Tfir_Number_<"the largest change">:$max_delta);
  let genVerifyDecl = 1;
}

def Tfir_RandomContrastAttr :
    Tfir_TransformAttr<"RandomContrast", "random_contrast", ["getNumbers"]> {
  let summary = "scales the distance to the mean of each channel";
  let description = [{
    By a number of [lower, upper): `(x - mean) * factor + mean`.

    - (C1) 0 <= lower < upper

    Example: `#tfir.random_contrast<field = "image", lower = 0.5, upper = 1.5>`
  }];
  let parameters = (ins "::mlir::StringAttr":$field,
                        Tfir_Number_<"the least factor">:$lower,
                        Tfir_Number_<"the end of the factors">:$upper);
  let genVerifyDecl = 1;
}

def Tfir_PerImageStandardizationAttr :
    Tfir_TransformAttr<"PerImageStandardization", "per_image_standardization",
                       ["getSourceType"]> {
  let summary = "makes the mean of an image 0 and its variance 1";
  let description = [{
    `(x - mean) / max(deviation, 1 / sqrt(n))` over all n elements, as
    `tf.image.per_image_standardization`. The field is f32.

    Example: `#tfir.per_image_standardization<field = "image">`
  }];
  let parameters = (ins "::mlir::StringAttr":$field);
}

def Tfir_ConvertImageDtypeAttr :
    Tfir_TransformAttr<"ConvertImageDtype", "convert_image_dtype",
                       ["getSourceType"]> {
  let summary = "makes floats of 0 to 1 of bytes";
  let description = [{
    The field is f32, and the files hold u8: `x / 255`.

    Example: `#tfir.convert_image_dtype<field = "image">`
  }];
  let parameters = (ins "::mlir::StringAttr":$field);
}

// Any attributes with the interface.
def Tfir_Transforms : TypedArrayAttrBase<
    Attr<CPred<"::llvm::isa<::graphc::tfir::TransformAttrInterface>($_self)">,
         "a transform">, "transforms">;

#endif
