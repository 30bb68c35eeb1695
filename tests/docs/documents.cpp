// README.md and docs/ say what is so: their code is compiled, their links lead somewhere, every policy has its page.

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path source{HETSCHED_SOURCE_DIR};

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  REQUIRE_MESSAGE(in.good(), path.string());
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

std::vector<fs::path> files_under(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.is_regular_file() && entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> all = files_under(source / "docs", ".md");
  all.push_back(source / "README.md");
  return all;
}

struct block {
  std::string language;
  std::size_t line = 0;
  std::string text;
};

std::vector<block> blocks_of(const std::string& text) {
  std::vector<block> blocks;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.compare(0, 3, "```") == 0) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), number, {}});
    } else if (inside) {
      blocks.back().text += line + '\n';
    }
  }
  return blocks;
}

// Its lines without what they are indented by, each ended.
std::string flush_left(const std::string& text) {
  std::string out = "\n";
  for (const std::string& line : lines_of(text)) out += line.substr(std::min(line.find_first_not_of(' '), line.size())) + '\n';
  return out;
}

// A heading's anchor, as the forges make it.
std::string anchor(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '_' || c == '-')
      out += static_cast<char>(std::tolower(u));
    else if (c == ' ')
      out += '-';
  }
  return out;
}

std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> all;
  bool code = false;
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, 3, "```") == 0) code = !code;
    const std::size_t level = line.find_first_not_of('#');
    if (!code && level != std::string::npos && level > 0 && line[level] == ' ') all.insert(anchor(std::string_view{line}.substr(level + 1)));
  }
  return all;
}

// Targets of [text](target) outside of code.
std::vector<std::string> links_of(const std::string& text) {
  std::vector<std::string> links;
  bool code = false;
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, 3, "```") == 0) code = !code;
    for (std::size_t at = code ? std::string::npos : line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
      const std::size_t end = line.find(')', at);
      if (end != std::string::npos) links.push_back(line.substr(at + 2, end - at - 2));
    }
  }
  return links;
}

// Appended to: g++ 12 misreads "'" + text at -O3.
std::string quoted(const fs::path& file) {
  std::string out = "'";
  return out.append(file.string()).append("'");
}

std::string output_of(const std::string& command) {
  std::FILE* out = popen(command.c_str(), "r");
  REQUIRE(out != nullptr);
  std::string text;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  CHECK_MESSAGE(pclose(out) == 0, command);
  return text;
}

bool built(const fs::path& program) {
  if (fs::exists(program)) return true;
  MESSAGE("skipped: " << program.string() << " was not built");
  return false;
}

// A printed table without its last column, which is the time of the machine.
std::string without_times(const std::string& text) {
  std::string out;
  for (std::string line : lines_of(text)) {
    line.erase(line.find_last_not_of(' ') + 1);
    const bool cell = line.size() > 6 && (line.compare(line.size() - 6, 6, " run s") == 0 || line[line.size() - 3] == '.');
    if (cell) line.erase(line.find_last_of(' ', line.size() - 6));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("the README shows examples/quickstart.cpp byte for byte") {
  const std::string program = read(source / "examples" / "quickstart.cpp");
  const auto blocks = blocks_of(read(source / "README.md"));
  CHECK(std::count_if(blocks.begin(), blocks.end(), [&](const block& b) { return b.language == "cpp" && b.text == program; }) == 1);
}

TEST_CASE("the README shows what the quickstart prints") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "quickstart";
  if (!built(program)) return;
  const std::string printed = output_of(quoted(program));
  const auto blocks = blocks_of(read(source / "README.md"));
  CHECK(std::count_if(blocks.begin(), blocks.end(), [&](const block& b) { return b.text == printed; }) == 1);
}

TEST_CASE("the README shows the table that the demo prints") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "simulate";
  if (!built(program)) return;
  const std::string data = (source / "examples" / "data").string();
  const std::string printed = output_of(quoted(program) + " --nodes '" + data + "/nodes.csv' --jobs '" + data + "/jobs.csv' --throughputs '" + data +
                                        "/throughputs.csv' --policy fifo,fifo_backfill,srtf,las,tiresias,gittins");
  const auto blocks = blocks_of(read(source / "README.md"));
  CHECK_MESSAGE(std::count_if(blocks.begin(), blocks.end(), [&](const block& b) { return without_times(b.text) == without_times(printed); }) == 1,
                printed);
}

TEST_CASE("every block of C++ in README and docs stands in a file that is compiled") {
  std::vector<std::string> compiled;
  for (const fs::path& folder : {source / "examples", source / "tests" / "docs"})
    for (const char* extension : {".cpp", ".hpp"})
      for (const fs::path& file : files_under(folder, extension)) compiled.push_back(flush_left(read(file)));
  for (const fs::path& document : documents())
    for (const block& b : blocks_of(read(document))) {
      if (b.language != "cpp") continue;
      const std::string wanted = flush_left(b.text);
      CHECK_MESSAGE(std::any_of(compiled.begin(), compiled.end(), [&](const std::string& file) { return file.find(wanted) != std::string::npos; }),
                    document.string() << ", line " << b.line << ": no file under examples or tests/docs has this block");
    }
}

TEST_CASE("every relative link in README and docs leads to a file, and every anchor to a heading") {
  for (const fs::path& document : documents())
    for (const std::string& link : links_of(read(document))) {
      if (link.find("://") != std::string::npos) continue;
      const std::size_t hash = link.find('#');
      const fs::path target = hash == 0 ? document : document.parent_path() / link.substr(0, hash);
      CHECK_MESSAGE(fs::exists(target), document.string() << ": " << link);
      if (hash == std::string::npos || !fs::is_regular_file(target)) continue;
      CHECK_MESSAGE(anchors_of(read(target)).count(link.substr(hash + 1)) == 1, document.string() << ": " << link);
    }
}

TEST_CASE("every page of docs can be reached from the README") {
  std::set<fs::path> reached;
  std::vector<fs::path> open{source / "README.md"};
  while (!open.empty()) {
    const fs::path page = fs::weakly_canonical(open.back());
    open.pop_back();
    if (page.extension() != ".md" || !fs::exists(page) || !reached.insert(page).second) continue;
    for (const std::string& link : links_of(read(page)))
      if (link.find("://") == std::string::npos && link.front() != '#') open.push_back(page.parent_path() / link.substr(0, link.find('#')));
  }
  for (const fs::path& document : documents())
    CHECK_MESSAGE(reached.count(fs::weakly_canonical(document)) == 1, document.string() << " is linked from nowhere");
}

namespace {

/// The page of a policy: its own, or that of Gavel's, which lists those that differ in the objective alone.
fs::path page_of(const std::string& policy) {
  const fs::path pages = source / "docs" / "schedulers", own = pages / (policy + ".md"), family = pages / "gavel.md";
  if (fs::exists(own)) return own;
  return read(family).find("| `" + policy + "` |") != std::string::npos ? family : own;
}

}  // namespace

TEST_CASE("every policy that simulate lists has its page, and every page a policy") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "simulate";
  if (!built(program)) return;
  std::set<std::string> listed, described;
  for (const std::string& name : lines_of(output_of(quoted(program) + " --list-policies"))) {
    listed.insert(name);
    CHECK_MESSAGE(fs::exists(page_of(name)), "docs/schedulers/" << name << ".md is missing");
    described.insert(page_of(name).stem().string());
  }
  CHECK(!listed.empty());
  for (const fs::path& page : files_under(source / "docs" / "schedulers", ".md"))
    if (page.stem() != "README") CHECK_MESSAGE(described.count(page.stem().string()) == 1, "simulate lists no policy of " << page.string());
}

TEST_CASE("every option that simulate lists stands on its policy's page, and those of the world in docs/formats.md") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "simulate";
  if (!built(program)) return;
  for (const std::string& line : lines_of(output_of(quoted(program) + " --list-policies --verbose"))) {
    const std::size_t dot = line.find('.'), equals = line.find(" = ");
    if (line.compare(0, 4, "    ") != 0 || equals == std::string::npos || dot > equals) continue;
    const std::string owner = line.substr(4, dot - 4), option = line.substr(4, equals - 4);
    const fs::path page = owner == "world" ? source / "docs" / "formats.md" : page_of(owner);
    if (!fs::exists(page)) continue;  // said above
    const bool shared = page.stem() == "gavel" && read(page).find("`gavel_*" + line.substr(dot, equals - dot)) != std::string::npos;
    CHECK_MESSAGE((shared || read(page).find("`" + option) != std::string::npos), page.string() << " does not have " << option);
  }
}

TEST_CASE("every flag and objective of allocate stands in docs/formats.md") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "allocate";
  if (!built(program)) return;
  const std::string page = read(source / "docs" / "formats.md");
  int flags = 0, objectives = 0;
  bool listed = false;
  for (const std::string& line : lines_of(output_of(quoted(program) + " --help"))) {
    const std::string word = line.compare(0, 2, "  ") == 0 ? line.substr(2, line.find(' ', 2) - 2) : std::string{};
    if (line == "Objectives:")
      listed = true;
    else if (word.empty())
      listed = false;
    if (listed && !word.empty()) {
      ++objectives;
      const bool told = page.find("| `" + word + "` |") != std::string::npos || page.find("`\"objective\": \"" + word + "\"`") != std::string::npos;
      CHECK_MESSAGE(told, word);
    }
    if (word.compare(0, 2, "--") != 0 || word == "--version") continue;
    ++flags;
    CHECK_MESSAGE(page.find("| `" + word + " ") != std::string::npos, word);
  }
  CHECK(flags == 6);
  CHECK(objectives == 10);
}

TEST_CASE("every field that allocate writes stands in docs/formats.md") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "allocate";
  if (!built(program)) return;
  const std::string page = read(source / "docs" / "formats.md");
  const std::string data = "'" + (source / "examples" / "data" / "decision.json").string() + "'";
  const std::string answer = output_of(quoted(program) + " --instance " + data + " --objective min_cost_slo");
  int depth = 0;
  for (std::size_t at = 0; at < answer.size(); ++at) {
    if (answer[at] == '{') ++depth;
    if (answer[at] == '}') --depth;
    if (depth != 1 || answer[at] != '"') continue;
    const std::size_t end = answer.find('"', at + 1);
    const std::string word = answer.substr(at + 1, end - at - 1);
    if (answer[end + 1] == ':') CHECK_MESSAGE(page.find('`' + word + '`') != std::string::npos, word);
    at = end;
  }
}

TEST_CASE("the how-to shows what examples/prices.cpp prints") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "prices";
  if (!built(program)) return;
  const std::string printed = output_of(quoted(program));
  const auto blocks = blocks_of(read(source / "docs" / "howto.md"));
  const auto shown = [&](const block& b) { return b.language.empty() && printed.find(b.text) != std::string::npos; };
  CHECK(std::count_if(blocks.begin(), blocks.end(), shown) == 1);
}

TEST_CASE("every flag of forecast and every field that it writes stands in docs/formats.md") {
  const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "forecast";
  if (!built(program)) return;
  const std::string page = read(source / "docs" / "formats.md");
  std::size_t flags = 0, fields = 0;
  const std::string help = output_of(quoted(program) + " --help");
  for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1)) {
    const std::string flag = help.substr(at + 3, help.find_first_of(" \n,", at + 3) - at - 3);
    ++flags;
    CHECK_MESSAGE(page.find("`" + flag) != std::string::npos, flag << " is not in docs/formats.md");
  }
  const std::string curve = (source / "examples" / "data" / "loss.csv").string();
  const std::string printed = output_of(quoted(program) + " --curve '" + curve + "' --target-loss 2.2");
  for (std::size_t at = printed.find("\n  \""); at != std::string::npos; at = printed.find("\n  \"", at + 1)) {
    const std::string field = printed.substr(at + 4, printed.find('"', at + 4) - at - 4);
    ++fields;
    CHECK_MESSAGE(page.find("`" + field + "`") != std::string::npos, field << " is not in docs/formats.md");
  }
  CHECK(flags >= 8);
  CHECK(fields >= 8);
}

TEST_CASE("the umbrella has every header below the programs, but for details") {
  const std::string umbrella = read(source / "include" / "hetsched" / "hetsched.hpp");
  const std::set<std::string> details{"place/bind/workers",
                                      "published/ordered_scheduler",
                                      "reallocate/checked_seconds",
                                      "reallocate/share_ledger",
                                      "resource/count_buckets",
                                      "hetsched",
                                      "simulate",
                                      "trace",
                                      "verify"};
  for (const fs::path& file : files_under(source / "include", ".hpp")) {
    const fs::path below = file.lexically_relative(source / "include" / "hetsched");
    const std::string name = below.generic_string(), room = below.begin()->string();
    const bool apart = room == "simulate" || room == "trace" || room == "verify" || room == "scheduler" || room == "core";
    const std::string stem = name.substr(0, name.size() - 4);
    const bool quirk = stem.size() > 5 && stem.compare(stem.size() - 5, 5, "_peer") == 0;  // another program's, for who asks for it
    const bool part = fs::exists(fs::path{file.parent_path()} += ".hpp");                  // of the header beside its folder
    if (apart || quirk || part || details.count(stem) == 1) continue;
    CHECK_MESSAGE(umbrella.find("<hetsched/" + name + ">") != std::string::npos, name << " is not in hetsched.hpp");
  }
}
