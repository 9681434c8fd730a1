# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Uses ccache where it is installed. Where it is not, a build is one from nothing,
# and headers of other projects are translated once for all files of a kind.
find_program(GRAPHC_CCACHE ccache)
if(GRAPHC_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GRAPHC_CCACHE})
  set(GRAPHC_IS_FROM_NOTHING OFF)
else()
  set(GRAPHC_IS_FROM_NOTHING ON)
endif()
option(GRAPHC_PRECOMPILED_HEADERS
       "Translate headers of other projects once; for builds without ccache"
       ${GRAPHC_IS_FROM_NOTHING})
