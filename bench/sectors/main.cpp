// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sectors/bank_view.hpp"
#include "bench/sectors/command_line.hpp"
#include "bench/sectors/drawing.hpp"
#include "bench/sectors/find.hpp"
#include "bench/sectors/flags.hpp"
#include "bench/sectors/warp_view.hpp"
#include "bench/support/exit_code.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

// As no-color.org has it: NO_COLOR counts unless it is empty.
bool wants_colour() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string drawing(const command& asked) {
  const auto drawn = [&](const auto& view) {
    switch (asked.form) {
      case output_form::kJson:
        return json_text(asked, view);
      case output_form::kSvg:
        return svg_drawing(asked, view);
      case output_form::kText:
        break;
    }
    return text_drawing(asked, view, wants_colour());
  };
  return asked.is_shared ? drawn(banks_of(asked.access)) : drawn(view_of(asked.access));
}

exit_code run(const std::vector<std::string>& args) {
  const auto fail = [](exit_code code, const std::string& why) {
    std::fprintf(stderr, "sectors: %s\n", shortened(one_line(why)).c_str());
    return code;
  };
  try {
    const command asked = read_command(args);
    std::string text;
    if (asked.help) {
      text = help_text();
    } else if (asked.find) {
      const find_result result = find_causes(*asked.find);
      if (result.found.empty())
        return fail(exit_code::kNothingMatched, nothing_found(*asked.find, result));
      text = asked.form == output_form::kJson ? json_text(asked, result) : text_list(asked, result);
    } else {
      text = drawing(asked);
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      return fail(exit_code::kFailed, "standard output cannot be written");
    return exit_code::kOk;
  } catch (const usage_error& error) {
    return fail(exit_code::kUsage, error.what());
  } catch (const std::exception& error) {
    return fail(exit_code::kFailed, error.what());
  }
}

}  // namespace
}  // namespace sectorbench::sectors

int main(int argc, char** argv) {
  return static_cast<int>(sectorbench::sectors::run({argv + 1, argv + argc}));
}
