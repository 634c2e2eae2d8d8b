// Conversion of the tree's options from Python.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "search/tree_options.h"

namespace boardlab {

double checked_number(const char *what, double value, double low, double high);

// Finds the value that Python calls `name`; the error lists the names.
template <class Kind>
Kind named(const char *what, const std::string &name, const std::vector<std::pair<const char *, Kind>> &known) {
  std::string names;
  for (const auto &[key, kind] : known) {
    if (name == key) return kind;
    names += (names.empty() ? "" : ", ") + std::string(key);
  }
  throw std::invalid_argument(std::string(what) + " must be one of " + names);
}

// Throws for options that exclude one another.
TreeOptions checked_tree(TreeOptions tree);

}  // namespace boardlab
