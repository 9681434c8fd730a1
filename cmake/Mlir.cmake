# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds LLVM/MLIR 22.1 and makes graphc_mlir, the one target that everything
# which includes MLIR headers links. Only the two shared libraries are linked: a
# static MLIR archive beside them would register every option and type twice.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(LLD 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(GRAPHC_LLVM_DEFINITIONS UNIX_COMMAND "${LLVM_DEFINITIONS}")

add_library(graphc_mlir INTERFACE)
target_include_directories(graphc_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS}
                           ${LLVM_INCLUDE_DIRS})
target_include_directories(graphc_mlir INTERFACE ${PROJECT_SOURCE_DIR}
                           ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_BINARY_DIR}/include)
target_compile_definitions(graphc_mlir INTERFACE ${GRAPHC_LLVM_DEFINITIONS})
target_link_libraries(graphc_mlir INTERFACE MLIR LLVM)
# mlir_tablegen takes its -I from the directory, not from a target.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR})
