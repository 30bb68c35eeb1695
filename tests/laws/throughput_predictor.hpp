#pragma once
// Laws of every throughput predictor. A new model adds one line to its test:  laws::throughput_predictor(model, jobs, columns, types);
// Give jobs of several kinds and with and without work, columns that the model answers and columns that it does not.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <hetsched/predict/concept.hpp>

namespace laws {

template <class P, class Job>
std::vector<hetsched::rate> rates_of(const P& model, const Job& job, const std::vector<hetsched::column>& columns) {
  std::vector<hetsched::rate> out(columns.size(), hetsched::rate::of(std::numeric_limits<double>::quiet_NaN()));
  model.rates(job, columns, out);
  return out;
}

/// Records of a job that waits, has begun, has done much, is in a restart delay, and is beyond anything declared.
inline std::vector<hetsched::job_record> lives_of(hetsched::gang size) {
  hetsched::job_record waiting;
  waiting.size = size;
  waiting.submit_s = 5;
  auto begun = waiting;
  begun.state = hetsched::job_state::running;
  begun.starts = 1;
  begun.believed_rate = 2.5;
  begun.changed_s = begun.done_at_s = 8;
  begun.devices = size.wished;
  begun.option = 0;
  auto advanced = begun;
  advanced.done_steps = 40;
  auto delayed = advanced;
  delayed.starts = 3;
  delayed.done_at_s = 500;
  auto beyond = begun;
  beyond.done_steps = 1e18;
  return {waiting, begun, advanced, delayed, beyond};
}

inline void is_a_distribution(const hetsched::quantiles& left) {
  double before = 0;
  for (const double v : left.values()) {
    CHECK_FALSE(std::isnan(v));
    CHECK(v >= before);
    before = v;
  }
}

/// @param model  not bound yet, or bound to `types`
template <class P, class Job>
  requires hetsched::throughput_predictor<P, Job>
void throughput_predictor(P model, const std::vector<Job>& jobs, const std::vector<hetsched::column>& columns, hetsched::device_types types) {
  using traits = hetsched::job_traits<Job>;
  const hetsched::observation seen{1000.0, hetsched::seconds{10.0}, 2.5};
  model.bind(types);

  const auto with_each = [&](auto check) {
    for (const Job& job : jobs) check(job, rates_of(model, job, columns));
  };

  SUBCASE("every column gets an answer, and none is a NaN or infinite") {
    with_each([&](const Job&, const auto& once) {
      for (const hetsched::rate r : once) CHECK(std::isfinite(r.steps_per_s()));
    });
  }
  SUBCASE("asking changes nothing") {
    with_each([&](const Job& job, const auto& once) { CHECK(rates_of(model, job, columns) == once); });
  }
  SUBCASE("a column's answer does not depend on its company") {
    with_each([&](const Job& job, const auto& once) {
      for (std::size_t i = 0; i < columns.size(); ++i) CHECK(rates_of(model, job, {columns[i]}).front() == once[i]);
      const std::vector<hetsched::column> backwards(columns.rbegin(), columns.rend());
      const auto answers = rates_of(model, job, backwards);
      CHECK(std::vector<hetsched::rate>(answers.rbegin(), answers.rend()) == once);
    });
  }
  SUBCASE("a copy answers alike, and learns apart") {
    with_each([&](const Job& job, const auto& once) {
      P copy = model;
      CHECK(rates_of(copy, job, columns) == once);
      std::vector<std::optional<hetsched::quantiles>> left;
      for (const auto& record : lives_of(traits::size(job))) left.push_back(model.remaining(job, record, 20));
      for (const hetsched::column& c : columns) {
        copy.observe(job, c, seen);
        copy.observe_work(job, c, seen);
      }
      CHECK(rates_of(model, job, columns) == once);
      std::size_t i = 0;
      for (const auto& record : lives_of(traits::size(job))) CHECK(model.remaining(job, record, 20) == left[i++]);
    });
  }
  SUBCASE("an observation that changed no answer says so") {
    with_each([&](const Job& job, const auto& once) {
      P copy = model;
      if (!copy.observe(job, columns.front(), seen)) CHECK(rates_of(copy, job, columns) == once);
    });
  }
  SUBCASE("meeting the cluster again, or a type more, changes no answer") {
    auto more = types;
    more.add("a type that nobody has heard of");
    with_each([&](const Job& job, const auto& once) {
      P again = model;
      again.bind(types);
      CHECK(rates_of(again, job, columns) == once);
      again.bind(more);
      CHECK(rates_of(again, job, columns) == once);
    });
  }
  SUBCASE("remaining work is a distribution over numbers from 0 up, or nothing; asking for it changes nothing") {
    with_each([&](const Job& job, const auto&) {
      for (const auto& record : lives_of(traits::size(job)))
        for (const double now : {8.0, 20.0, 1e6}) {
          const auto left = model.remaining(job, record, now);
          if (left) is_a_distribution(*left);
          CHECK(model.remaining(job, record, now) == left);
        }
    });
  }
  if constexpr (hetsched::expects_work<P, Job>) {
    SUBCASE("the expected work is the mean of the distribution") {
      with_each([&](const Job& job, const auto&) {
        for (const auto& record : lives_of(traits::size(job))) {
          const auto mean = model.expected(job, record, 20);
          const auto left = model.remaining(job, record, 20);
          REQUIRE(mean.has_value() == left.has_value());
          if (mean) CHECK(*mean == doctest::Approx(left->mean()).epsilon(1e-9));
        }
      });
    }
  }
  if constexpr (hetsched::rates_by_kind<P>) {
    SUBCASE("jobs that are alike to their traits are as fast") {
      const auto alike = [&](const Job& a, const Job& b) {
        for (std::size_t t = 0; t < types.size(); ++t) {
          const auto name = types.name(static_cast<hetsched::type_id>(t));
          if (traits::accepts(a, name) != traits::accepts(b, name)) return false;
        }
        return traits::key(a) == traits::key(b) && traits::size(a) == traits::size(b) && traits::milli(a) == traits::milli(b);
      };
      with_each([&](const Job& job, const auto& once) {
        for (const Job& other : jobs)
          if (alike(job, other)) CHECK(rates_of(model, other, columns) == once);
      });
    }
  }
}

}  // namespace laws
