# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The helpers that every folder uses.
find_package(Threads REQUIRED)

if(GRAPHC_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Translated again, headers give the same bytes, which ccache compares.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
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
  # Half the time that the default of the build type takes; reports have lines.
  add_compile_options(-O1 -gline-tables-only)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Coverage that test/fuzz is led by; programs without libFuzzer ignore it.
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
elseif(GRAPHC_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

# graphc_plain_library(<target> SOURCES ... [DEPENDS ...] [HEADERS kind]): a static
# library that stands beside the runtime: plain C++ without LLVM. The kind of headers
# that it gets translated (graphc_precompile()) is `runtime` where none is given.
function(graphc_plain_library target)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;DEPENDS" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}
                             ${PROJECT_BINARY_DIR})
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS runtime)
  endif()
  graphc_precompile(${target} ${ARG_HEADERS})
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
  graphc_precompile(graphc_${folder} compiler)
endfunction()

# What most files of a kind of target parse, all of it from other projects.
set(GRAPHC_STANDARD_HEADERS
    <algorithm> <chrono> <functional> <map> <memory> <mutex> <optional> <set>
    <span> <sstream> <string> <string_view> <utility> <vector>)
set(GRAPHC_MLIR_HEADERS
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/IR/Builders.h>
    <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h>)
set(GRAPHC_HEADERS_compiler ${GRAPHC_MLIR_HEADERS} ${GRAPHC_STANDARD_HEADERS})
set(GRAPHC_HEADERS_runtime
    <flatbuffers/flatbuffers.h> <google/protobuf/map_field_inl.h>
    <google/protobuf/message.h> <google/protobuf/repeated_field.h>
    ${GRAPHC_STANDARD_HEADERS})
set(GRAPHC_HEADERS_rpc <grpcpp/grpcpp.h> ${GRAPHC_HEADERS_runtime})
set(GRAPHC_HEADERS_rpc_test <gtest/gtest.h> ${GRAPHC_HEADERS_rpc})
set(GRAPHC_HEADERS_test <gtest/gtest.h> ${GRAPHC_HEADERS_runtime})
set(GRAPHC_HEADERS_compiler_test <gtest/gtest.h> ${GRAPHC_HEADERS_compiler})

# Generated code is not what a sanitizer is to judge, and gRPC's takes minutes under
# one.
function(graphc_generated_options target)
  target_compile_options(${target} PRIVATE -w)
  if(GRAPHC_SANITIZE STREQUAL "address" AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()

# graphc_precompile(<target> <kind>): gives a target the headers that most files of
# its kind (above) parse, translated once for all. A file of the compiler then takes
# 1.4 s in place of 4.7 s, one of the runtime's tests, which are optimised less, 3.2 s
# in place of 5.2 s.
function(graphc_precompile target kind)
  # GCC takes such headers for exactly the same flags only.
  if(NOT GRAPHC_PRECOMPILED_HEADERS OR NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    return()
  endif()
  set(headers graphc_${kind}_headers)
  if(NOT TARGET ${headers})
    file(WRITE ${PROJECT_BINARY_DIR}/${headers}.cpp "")
    add_library(${headers} STATIC ${PROJECT_BINARY_DIR}/${headers}.cpp)
    if(kind MATCHES "^compiler")
      target_link_libraries(${headers} PUBLIC graphc_mlir)
    elseif(kind MATCHES "^rpc")
      find_package(gRPC CONFIG REQUIRED)
      target_link_libraries(${headers} PUBLIC gRPC::grpc++)
    endif()
    if(kind MATCHES "test$")
      target_link_libraries(${headers} PUBLIC GTest::gtest)
      graphc_test_options(${headers})
    endif()
    target_precompile_headers(${headers} PRIVATE ${GRAPHC_HEADERS_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# How tests are compiled: for a short build, and as parts of programs.
function(graphc_test_options target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -O1 -fPIE)
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
  graphc_test_options(${name})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/test/lib/")
    graphc_precompile(${name} compiler_test)
  elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "/test/runtime/rpc")
    graphc_precompile(${name} rpc_test)
  else()
    graphc_precompile(${name} test)
  endif()
  set_property(GLOBAL APPEND PROPERTY GRAPHC_TEST_TARGETS ${name})
endfunction()
