# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What shortens builds: headers of other projects translated once for all files of a
# kind (graphc_precompile()), and ccache where it is installed. Both at once, so that
# a file compiles with ccache where it compiles without.
option(GRAPHC_PRECOMPILED_HEADERS "Translate headers of other projects once" ON)
find_program(GRAPHC_CCACHE ccache)
if(GRAPHC_CCACHE)
  # What ccache asks for before it serves files that use translated headers; their
  # dates, which a new checkout changes, do not count, only what they hold. The
  # compiler's list of headers is trusted (CCACHE_DEPEND), so that nothing is
  # preprocessed first.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${GRAPHC_CCACHE})
endif()
