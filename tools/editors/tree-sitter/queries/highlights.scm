; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Colours of the text language. No two patterns name one token differently, so that their
; order, which editors read differently, does not matter.

(comment) @comment

["tfir" "import" "let" "dataset" "variable" "func" "graph" "scope" "device" "for"
 "colocate" "average" "if" "else" "in" "return" "and" "or" "not"] @keyword
[(boolean) (constant)] @constant.builtin
[(integer) (float)] @number
[(string) (raw)] @string

["+" "-" "*" "/" "//" "%" "@" "**" "==" "!=" "<" "<=" ">" ">=" "=" ":=" "+=" "-=" "->"
 ".." (ellipsis) (open)] @operator

(element_type) @type
((identifier) @type
  (#match? @type "^(f32|f64|f16|bf16|i8|i16|i32|i64|u8|u16|u32|u64|bool|string)$"))

(call function: (identifier) @function)
(func name: (identifier) @function)
(graph name: (identifier) @function)
(dataset name: (identifier) @function)

(argument name: (identifier) @attribute)
(setting name: (identifier) @attribute)
