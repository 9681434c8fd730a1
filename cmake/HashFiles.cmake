# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DOUTPUT=FILE -DFILES=A,B -P HashFiles.cmake: writes a C++ constant,
# kCodeVersion, that follows from the bytes of files.
string(REPLACE "," ";" FILES "${FILES}")
set(all "")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 all "${all}")
file(WRITE ${OUTPUT}
     "static constexpr llvm::StringLiteral kCodeVersion(\"${all}\");\n")
