// SPDX-License-Identifier: Apache-2.0
#include "bench/support/json_input.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bench/support/bad_value.hpp"

namespace sectorbench {
namespace {

using nlohmann::json;

/// Takes the parser's events and keeps nothing but where it is.
class checker : public json::json_sax_t {
 public:
  checker(std::size_t length, std::size_t deepest) : length_(length), deepest_(deepest) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const std::string&) override { return true; }
  bool string(std::string& text) override { return is_text(text); }
  bool binary(json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    open_.back().last.clear();
    is_text(name);
    open_.back().last = name;
    if (!open_.back().keys.insert(name).second) fail("stands twice; leave one of the two out");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& error) override {
    constexpr std::size_t kShown = 200;
    const std::string_view message = error.what();  // "[json.exception....] parse error at line 1"
    const std::size_t start = message.find("] ");
    const std::string what(message.substr(start == std::string_view::npos ? 0 : start + 2, kShown));
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr)
      fail(what + "; write a finite number");
    throw bad_value(what + (position > length_ ? " (is it cut off?)" : ""));
  }

 private:
  struct level {
    std::set<std::string> keys{};
    std::string last{};
  };

  bool open() {
    if (open_.size() == deepest_) fail("nested more than " + std::to_string(deepest_) + " deep");
    open_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  /// Messages end at a NUL.
  bool is_text(const std::string& text) const {
    if (text.find('\0') != std::string::npos) fail("a text holds \\u0000; leave it out");
    return true;
  }
  [[noreturn]] void fail(const std::string& what) const {
    std::string path;
    for (const level& each : open_)
      if (!each.last.empty()) path += (path.empty() ? "" : ".") + each.last;
    throw bad_value(path.empty() ? what : path + ": " + what);
  }

  std::size_t length_, deepest_;
  std::vector<level> open_;
};

}  // namespace

json read_json(std::string_view text, std::size_t deepest) {
  checker check(text.size(), deepest);
  json::sax_parse(text, &check);
  return json::parse(text);
}

}  // namespace sectorbench
