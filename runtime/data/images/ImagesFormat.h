// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of images as a source: FOLDER/CLASS/*.jpg, or a list "file,label".
#ifndef GRAPHC_RUNTIME_DATA_IMAGES_IMAGESFORMAT_H
#define GRAPHC_RUNTIME_DATA_IMAGES_IMAGESFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *imagesFormat();

} // namespace graphc::runtime

#endif
