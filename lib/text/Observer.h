// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Listener to what the names and expressions of a text stand for.
#ifndef GRAPHC_LIB_TEXT_OBSERVER_H
#define GRAPHC_LIB_TEXT_OBSERVER_H

namespace graphc::text {

struct Expr;
struct Item;

/// Told by parseText() about each name and expression, once for each time that
/// its loop or func is built. Places lie in the source that was parsed, or in
/// an import of it. Values of items may be erased afterwards.
class Observer {
public:
  virtual ~Observer() = default;

  /// Called when the name at `place` is bound.
  virtual void observeName(const char *place, const Item &item) = 0;
  /// Called when `expr` has been evaluated.
  virtual void observe(const Expr &expr, const Item &item) = 0;
};

} // namespace graphc::text

#endif
