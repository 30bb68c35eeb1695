#pragma once
// Laws of every reallocation controller. A new model adds one line to its test:  laws::reallocation_controller(model);

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <vector>

#include <hetsched/reallocate/concept.hpp>

namespace laws {

/// Records a controller may be asked about: never started, running, stopped again, often restarted, being stopped.
inline std::vector<hetsched::job_record> records_to_price() {
  hetsched::job_record fresh;
  fresh.submit_s = 100;
  auto running = fresh;
  running.state = hetsched::job_state::running;
  running.starts = 1;
  running.first_start_s = 120;
  running.devices = 2;
  running.option = 1;
  auto stopped = fresh;
  stopped.starts = 2;
  auto restless = running;
  restless.starts = 1000;
  auto leaving = running;
  leaving.leaving = true;
  return {fresh, running, stopped, restless, leaving};
}

inline std::vector<hetsched::option> options_to_price() {
  std::vector<hetsched::option> options(3);
  for (std::size_t i = 0; i < options.size(); ++i) {
    options[i].how = hetsched::column::of(hetsched::type_id{}, static_cast<std::int32_t>(i) + 1);
    options[i].speed = hetsched::rate::of(static_cast<double>(3 - i));
  }
  return options;
}

template <hetsched::reallocation_controller C>
void reallocation_controller(C model) {
  using hetsched::seconds;
  const std::vector<double> times{0.0, 0.1, 1.0, 59.999, 60.0, 359.9, 360.0, 360.1, 719.0, 1e5, 86400.0 * 365, 1.6e9};

  SUBCASE("the next wake-up is later than now, and due when it comes though nothing happened") {
    for (const double t : times) {
      double now = t;
      C walker = model;
      for (int i = 0; i < 100; ++i) {
        const std::optional<seconds> wake = walker.next_wakeup(seconds{now});
        if (!wake) break;
        REQUIRE(std::isfinite(wake->count()));
        REQUIRE(wake->count() > now);
        CHECK(walker.due(*wake, false));
        now = wake->count();
      }
    }
  }
  SUBCASE("nothing is due before the next wake-up unless something changes") {
    for (const double t : times) {
      C asked = model;
      const auto wake = asked.next_wakeup(seconds{t});
      const double until = wake ? wake->count() : t + 1000;
      for (const double part : {0.3, 0.5, 0.999}) {
        const double between = t + (until - t) * part;
        if (t < between && between < until) CHECK_FALSE(asked.due(seconds{between}, false));
      }
    }
  }
  SUBCASE("asking for the next wake-up changes nothing, and a copy answers alike") {
    for (const double t : times) {
      C copy = model;
      const auto wake = model.next_wakeup(seconds{t});
      CHECK(model.next_wakeup(seconds{t}) == wake);
      CHECK(copy.next_wakeup(seconds{t}) == wake);
      CHECK(copy.due(seconds{t}, true) == model.due(seconds{t}, true));
    }
  }
  if constexpr (hetsched::prices_moves<C>) {
    SUBCASE("a price is a part of the worth, all of it for staying; it alters nothing else") {
      for (const auto& record : records_to_price())
        for (const double now : {100.0, 150.0, 1e6}) {
          const auto before = options_to_price();
          auto options = before;
          model.price(record, options, seconds{now});
          for (std::size_t i = 0; i < options.size(); ++i) {
            const bool held = static_cast<int>(i) == record.option;
            CHECK(options[i].restart_factor >= 0.0);
            CHECK(options[i].restart_factor <= 1.0);
            if (held) CHECK(options[i].restart_factor == 1.0);
            if (options[i].pinned) CHECK(held);
            CHECK(options[i].how == before[i].how);
            CHECK(options[i].speed == before[i].speed);
            CHECK(options[i].value == before[i].value);
          }
          auto again = options;
          model.price(record, again, seconds{now});
          for (std::size_t i = 0; i < options.size(); ++i) CHECK(again[i].restart_factor == options[i].restart_factor);
        }
    }
  }
  if constexpr (hetsched::pins<C>) {
    SUBCASE("only who runs, and is to go on, is pinned") {
      for (const auto& record : records_to_price())
        if (model.pinned(record, seconds{200})) CHECK((record.state == hetsched::job_state::running && !record.leaving));
    }
  }
  if constexpr (hetsched::delays_restarts<C>) {
    SUBCASE("a restart delay is a finite time of 0 or more") {
      for (const auto& record : records_to_price()) {
        const double delay = seconds{model.restart_delay(record)}.count();
        CHECK(std::isfinite(delay));
        CHECK(delay >= 0.0);
      }
    }
  }
}

}  // namespace laws
