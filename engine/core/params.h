// A game's parameters from outside, and the checks that every game makes on them.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace boardlab {

class Params {
 public:
  using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;

  explicit Params(std::string game, std::map<std::string, Value> values)
      : game_(std::move(game)), values_(std::move(values)) {}

  int integer(const std::string &name, int low, int high) const {
    const auto *value = std::get_if<std::int64_t>(&at(name));
    if (!value || *value < low || *value > high)
      refuse(name, "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return static_cast<int>(*value);
  }
  bool boolean(const std::string &name) const { return integer(name, 0, 1) != 0; }
  double real(const std::string &name, double low, double high) const {
    const Value &given = at(name);
    const auto *whole = std::get_if<std::int64_t>(&given);
    const auto *number = std::get_if<double>(&given);
    const double value = whole ? static_cast<double>(*whole) : number ? *number : high + 1;
    if (!(value >= low && value <= high))
      refuse(name, "must be a number from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
  }
  std::string choice(const std::string &name, const std::vector<std::string> &allowed) const {
    const auto *value = std::get_if<std::string>(&at(name));
    std::string list;
    for (const auto &option : allowed) {
      if (value && *value == option) return option;
      list += (list.empty() ? "\"" : ", \"") + option + "\"";
    }
    refuse(name, "must be one of " + list);
  }
  std::vector<int> integers(const std::string &name, int min_length, int max_length, int low, int high) const {
    const auto *value = std::get_if<std::vector<std::int64_t>>(&at(name));
    bool good = value && static_cast<int>(value->size()) >= min_length && static_cast<int>(value->size()) <= max_length;
    std::vector<int> list;
    if (good)
      for (const std::int64_t v : *value) {
        good = good && v >= low && v <= high;
        list.push_back(static_cast<int>(v));
      }
    if (!good)
      refuse(name, "must be " + std::to_string(min_length) + " to " + std::to_string(max_length) +
                       " whole numbers from " + std::to_string(low) + " to " + std::to_string(high));
    return list;
  }
  [[noreturn]] void refuse(const std::string &name, const std::string &why) const {
    throw std::invalid_argument(game_ + ": " + name + " " + why);
  }

 private:
  const Value &at(const std::string &name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) refuse(name, "is missing");
    return found->second;
  }

  std::string game_;
  std::map<std::string, Value> values_;
};

}  // namespace boardlab
