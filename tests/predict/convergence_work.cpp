#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/predict/compose.hpp>
#include <hetsched/predict/declared_work.hpp>
#include <hetsched/predict/learned_work.hpp>
#include <hetsched/predict/rate_table.hpp>
#include <laws/throughput_predictor.hpp>

using namespace hetsched;

namespace {

struct curve_job {
  int id = 0;
  std::string model{};
  std::optional<double> most{};
};

}  // namespace

template <>
struct hetsched::job_traits<curve_job> : hetsched::default_job_traits<curve_job> {
  static std::optional<double> work(const curve_job& j) { return j.most; }
};

namespace {

using work = learned_work<curve_job>;
static_assert(work_predictor<work, curve_job>);
static_assert(knows_jobs<work, curve_job>);

const curve_job endless{1, "resnet", {}}, bounded{2, "resnet", 900};
constexpr double rate = 0.02;

double loss(double k) { return 9 / (rate * k + 1) + 1; }

// Converged at step 1000 exactly.
same_criterion at_1000() { return {convergence::criterion::by_decrement((loss(900) - loss(1000)) / loss(1000), 100)}; }

job_record done(double steps) {
  job_record r;
  r.state = job_state::running;
  r.done_steps = steps;
  r.done_at_s = 10;
  return r;
}

// The engine reports every ten steps.
int feed(work& w, const curve_job& job, double until) {
  int changes = 0;
  for (double k = 10; k <= until; k += 10) changes += w.observe_work(job, column{}, {10, seconds{1}, loss(k)}) ? 1 : 0;
  return changes;
}

device_types two_types() {
  device_types types;
  types.add("v100");
  types.add("k80");
  return types;
}

}  // namespace

TEST_CASE("a job's own loss says what is left of it") {
  work w{at_1000()};
  CHECK_FALSE(w.knows(endless));
  CHECK_FALSE(w.remaining(endless, done(0), 10).has_value());
  feed(w, endless, 400);
  CHECK(w.knows(endless));
  CHECK_FALSE(w.knows(bounded));
  REQUIRE(w.remaining(endless, done(400), 10).has_value());
  CHECK(w.remaining(endless, done(400), 10)->at(.5) == doctest::Approx(600).epsilon(0.02));
  CHECK(w.remaining(endless, done(700), 10)->at(.5) == doctest::Approx(300).epsilon(0.04));
  CHECK(w.remaining(endless, done(5000), 10)->at(.99) == 0);
}

TEST_CASE("work goes on at the believed rate between reports") {
  work w{at_1000()};
  feed(w, endless, 400);
  auto record = done(400);
  record.believed_rate = 2;
  CHECK(w.remaining(endless, record, 60)->at(.5) == doctest::Approx(w.remaining(endless, done(500), 60)->at(.5)));
}

TEST_CASE("fits are few, samples are many") {
  work w{at_1000()};
  const int fits = feed(w, endless, 4000);
  CHECK(fits >= 10);
  CHECK(fits <= 60);  // of 400 samples
}

TEST_CASE("a declaration is the most that is left") {
  work w{at_1000()};
  feed(w, bounded, 400);
  const auto left = w.remaining(bounded, done(400), 10);
  REQUIRE(left.has_value());
  CHECK(left->at(.99) == 500);
  CHECK(left->at(.5) == 500);
  CHECK(w.remaining(bounded, done(950), 10)->at(.99) == 0);
}

TEST_CASE("without a fit the history of the workload answers, given how far the job has come") {
  work w{at_1000()};
  for (const double steps : {800.0, 1000.0, 1200.0}) w.add_history("resnet", steps);
  CHECK(w.knows(endless));
  CHECK(w.remaining(endless, done(0), 10)->at(.5) == 1000);
  CHECK(w.remaining(endless, done(900), 10)->at(.99) == 300);
  CHECK(w.remaining(endless, done(900), 10)->at(.01) == 100);
  CHECK_FALSE(w.remaining(endless, done(1300), 10).has_value());  // longer than any: nobody knows
  CHECK_FALSE(w.remaining({3, "bert", {}}, done(0), 10).has_value());
}

TEST_CASE("a wide forecast gives way to history, a narrow one does not, and history bounds both") {
  work w{at_1000()};
  w.add_history("resnet", 300);
  feed(w, endless, 400);
  CHECK(w.remaining(endless, done(400), 10)->at(.99) == 200);  // twice the longest run, less what is done
  work early{at_1000()};
  early.add_history("resnet", 1100);
  early.observe_work(endless, column{}, {10, seconds{1}, 5.0});
  for (const double v : {5.2, 4.7, 5.1, 4.9}) early.observe_work(endless, column{}, {10, seconds{1}, v});
  CHECK(early.remaining(endless, done(50), 10)->at(.5) == 1050);
}

TEST_CASE("what is no number is left out") {
  work w{at_1000()};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  feed(w, endless, 400);
  work same = w;
  CHECK_FALSE(w.observe_work(endless, column{}, {nan, seconds{1}, 2.0}));
  CHECK_FALSE(w.observe_work(endless, column{}, {0, seconds{1}, nan}));
  CHECK_FALSE(w.observe_work(endless, column{}, {-5, seconds{1}, 2.0}));
  CHECK_FALSE(w.observe_work(endless, column{}, {0, seconds{1}, {}}));
  CHECK(w.remaining(endless, done(400), 10) == same.remaining(endless, done(400), 10));
  CHECK_THROWS_AS(w.add_history("resnet", nan), invalid_input);
  CHECK_THROWS_AS(w.add_history("resnet", 0), invalid_input);
}

TEST_CASE("a job that has ended is forgotten") {
  work w{at_1000()};
  feed(w, endless, 400);
  w.forget(endless);
  CHECK_FALSE(w.knows(endless));
}

TEST_CASE("learnt work beside a table of rates obeys the laws of predictors") {
  work w{at_1000()};
  w.add_history("bert", 500);
  feed(w, endless, 300);
  feed(w, bounded, 100);
  const rate_table table{{{"resnet", "v100", true, 1, 5.0}, {"resnet", "k80", true, 4, 1.0}}};
  laws::throughput_predictor(table & w, std::vector<curve_job>{endless, bounded, {3, "bert", {}}, {4, "unheard of", 70}},
                             {column::of(type_id{0}, 1), column::of(type_id{1}, 4)}, two_types());
}
