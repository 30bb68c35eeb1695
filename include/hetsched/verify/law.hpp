#pragma once

/// The laws that every schedule keeps, and what was found against them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>

namespace hetsched::verify {

enum class law : std::uint8_t {
  time,            ///< finite, and never goes back
  numbers,         ///< rates, delays, prices and factors are finite and not negative
  known_job,       ///< nothing is told of a job that never came, has ended, or came twice
  job_state,       ///< a start is of a waiting job that has left what it held; everything else of a running one
  one_move,        ///< at most one move a job in a decision
  kind_of_move,    ///< resize changes the count, migrate the devices alone, retune neither; a stop leaves what is held
  gang,            ///< whole, within its limits, and as large as its column says
  type,            ///< an allocation has one type, that of its column, and the job accepts it
  span,            ///< as many nodes as the column says, and whole workers on each
  share,           ///< each device is held in the thousandths of the column
  devices,         ///< they exist, come in order, and none twice
  capacity,        ///< at the end of a decision no device is held beyond 1000 thousandths, what is being left included
  out_of_service,  ///< nothing new where a device is down or drained, nobody on one that is down
  group,           ///< who is stopped or moved for another's sake stands in one group with its start
  order,           ///< moves of a group stand together, whoever leaves first
  work,            ///< speed times time, delays and lost work left out, is the job's work at its end, and never more
  speed,           ///< a job works at the world's rate (with checker_settings::whole_steps it may rest)
  release,         ///< only what was left comes back, and when it is due
  ledger,          ///< at the end nobody holds anything
  told,            ///< the scheduler believes what it told
};

inline constexpr std::array<std::string_view, 20> law_names{
    "time",    "numbers",  "known_job",      "job_state", "one_move", "kind_of_move", "gang",  "type",    "span",   "share",
    "devices", "capacity", "out_of_service", "group",     "order",    "work",         "speed", "release", "ledger", "told"};

constexpr std::string_view name(law l) { return law_names[static_cast<std::size_t>(l)]; }

constexpr std::optional<law> find_law(std::string_view wanted) {
  for (std::size_t i = 0; i < law_names.size(); ++i)
    if (law_names[i] == wanted) return static_cast<law>(i);
  return std::nullopt;
}

struct violation {
  double time_s = 0;
  std::string law;
  std::string what;

  friend bool operator==(const violation&, const violation&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const violation& v) { return out << "at " << v.time_s << " s: " << v.law << ": " << v.what; }

/// What was found: all of it counted, the first few kept.
class findings {
 public:
  /// @param excluded  names of laws that are not looked at, because a quirk that was asked for breaks them
  /// @throws invalid_input  a name that is no law's
  explicit findings(std::span<const std::string> excluded = {}, std::size_t keep = 100) : keep_{keep} {
    for (const std::string& e : excluded) {
      const auto l = find_law(e);
      if (!l) throw invalid_input{"law", "'" + e + "' is no law"};
      excluded_[static_cast<std::size_t>(*l)] = true;
    }
  }

  void report(double time_s, law broken, std::string what) {
    if (excluded_[static_cast<std::size_t>(broken)]) return;
    ++counts_[static_cast<std::size_t>(broken)];
    ++total_;
    if (kept_.size() < keep_) kept_.push_back(violation{time_s, std::string{name(broken)}, std::move(what)});
  }

  std::span<const violation> kept() const { return kept_; }
  std::uint64_t total() const { return total_; }
  std::uint64_t count(law l) const { return counts_[static_cast<std::size_t>(l)]; }

 private:
  std::array<bool, law_names.size()> excluded_{};
  std::array<std::uint64_t, law_names.size()> counts_{};
  std::uint64_t total_ = 0;
  std::size_t keep_;
  std::vector<violation> kept_;
};

}  // namespace hetsched::verify
