# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds LLVM/MLIR 22.1 and makes graphc_mlir, the one target that everything
# which includes MLIR headers links: the two shared libraries, or, in programs that
# graphc_static_llvm() names, the archives. A static MLIR archive beside the shared
# libraries would register every option and type twice.
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
target_link_libraries(graphc_mlir INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:GRAPHC_STATIC_LLVM>>,graphc_llvm_archives,graphc_llvm_shared>)
add_library(graphc_llvm_shared INTERFACE)
target_link_libraries(graphc_llvm_shared INTERFACE MLIR LLVM)

# All archives: the linker takes what is used, in any order. Their CMake targets
# would bring the shared LLVM, as would those of lld.
file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
if(NOT llvm_archives)
  message(FATAL_ERROR "There are no archives of LLVM and MLIR 22 in ${LLVM_LIBRARY_DIR}; "
                      "install llvm-22-dev and libmlir-22-dev, as scripts/install-deps does")
endif()
add_library(graphc_llvm_archives INTERFACE)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
target_link_libraries(graphc_llvm_archives INTERFACE ${llvm_archives} ZLIB::ZLIB zstd
                      Threads::Threads ${CMAKE_DL_LIBS} m)
add_library(graphc_lld INTERFACE)
target_link_libraries(graphc_lld INTERFACE ${LLVM_LIBRARY_DIR}/liblldELF.a
                      ${LLVM_LIBRARY_DIR}/liblldCommon.a ZLIB::ZLIB zstd)

# graphc_static_llvm(<program>): LLVM and MLIR are in the program. It starts in a third
# of the time, most of which the dynamic linker takes for some 370,000 relocations of
# the shared libraries. MLIR's parser is what lib/text/GuardParser.cpp makes of it.
string(CONCAT GRAPHC_MLIR_PARSER
  "_ZN4mlir18parseAsmSourceFileERKN4llvm9SourceMgrEPNS_5BlockERKNS_12ParserConfig"
  "EPNS_14AsmParserStateEPNS_28AsmParserCodeCompleteContextE")
function(graphc_static_llvm program)
  set_target_properties(${program} PROPERTIES GRAPHC_STATIC_LLVM ON)
  target_link_options(${program} PRIVATE -Wl,--gc-sections
                      -Wl,--wrap=${GRAPHC_MLIR_PARSER})
endfunction()
# mlir_tablegen takes its -I from the directory, not from a target.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR})
