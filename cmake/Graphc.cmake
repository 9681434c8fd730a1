# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The helpers that every folder uses.
find_package(Threads REQUIRED)

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options(-Wthread-safety)
else()
  # GCC 12 sees overlaps that are not there in "text" + std::string.
  add_compile_options(-Wno-restrict)
endif()
if(GRAPHC_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Coverage that test/fuzz is led by; programs without libFuzzer ignore it.
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
elseif(GRAPHC_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

# graphc_plain_library(<target> SOURCES ... [DEPENDS ...]): a static library that
# stands beside the runtime: plain C++ without LLVM.
function(graphc_plain_library target)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}
                             ${PROJECT_BINARY_DIR})
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS})
endfunction()

# graphc_runtime_library(<folder> SOURCES ... [DEPENDS ...]): the static library
# graphc_rt_<folder> of one folder under runtime/.
function(graphc_runtime_library folder)
  graphc_plain_library(graphc_rt_${folder} ${ARGN})
endfunction()

# graphc_library(<folder> SOURCES ... [DEPENDS ...]): the static library
# graphc_<folder> of one compiler stage.
function(graphc_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(graphc_${folder} STATIC ${ARG_SOURCES})
  target_link_libraries(graphc_${folder} PUBLIC graphc_mlir ${ARG_DEPENDS})
  graphc_precompile(graphc_${folder})
endfunction()

# Gives a target of the compiler the headers of MLIR that most of its files
# parse, translated once for all (Ccache.cmake says when). A file then takes 1.4 s
# instead of 4.7 s, and a build of graphc and graphc-run 15 CPU minutes instead of
# 26; a build that ccache serves is faster without.
function(graphc_precompile target)
  if(NOT GRAPHC_PRECOMPILED_HEADERS)
    return()
  endif()
  if(NOT TARGET graphc_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/graphc_headers.cpp "")
    add_library(graphc_headers STATIC ${PROJECT_BINARY_DIR}/graphc_headers.cpp)
    target_link_libraries(graphc_headers PUBLIC graphc_mlir)
    target_precompile_headers(
      graphc_headers PRIVATE
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Linalg/IR/Linalg.h>
      <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/IR/Builders.h>
      <mlir/IR/BuiltinOps.h>
      <mlir/IR/PatternMatch.h>
      <mlir/Pass/Pass.h>
      <algorithm>
      <map>
      <memory>
      <optional>
      <string>
      <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM graphc_headers)
endfunction()

# graphc_unit_test(<Name>Test SOURCES ... [DEPENDS ...]): a GoogleTest program in
# <build>/unit, run by the lit test beside its source whose RUN line names it.
function(graphc_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/unit)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
  set_property(GLOBAL APPEND PROPERTY GRAPHC_TEST_TARGETS ${name})
endfunction()
