// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A column that is an array in NumPy's form, alone in a file or within one.
#ifndef GRAPHC_RUNTIME_DATA_NPY_NPYCOLUMN_H
#define GRAPHC_RUNTIME_DATA_NPY_NPYCOLUMN_H

#include "runtime/data/source/Column.h"

namespace graphc::runtime {

/// The `size` bytes from `begin` on are a .npy file. Arrays in Fortran's order
/// are loaded, others stay.
StatusOr<std::unique_ptr<Column>> npyColumn(const DatasetSpec::Field &field,
                                            InputFile file, uint64_t begin,
                                            uint64_t size,
                                            const std::string &place);

} // namespace graphc::runtime

#endif
