#pragma once

/// Who gets how much time on which type, where two jobs may be on the same devices at once: a share program (share_program.hpp) with pairs.
///
///   maximise    d t + sum_ik c_ik x_ik + sum_qk c_qk y_qk
///   subject to  sum_k a_ik x_ik + sum_{q of i} sum_k r_iqk y_qk >= b_i + w_i t    job i's rate               dual u_i >= 0
///               sum_k x_ik + sum_{q of i} sum_k y_qk <= 1                         job i's time               dual z_i >= 0
///               sum_i s_i x_ik + sum_q s_q y_qk <= N_k                            devices of type k          dual p_k >= 0
///               x, y >= 0, t free
///
/// A pair q = (a, b) is two jobs that need equally many devices, s_q; in its time it takes time of both and devices of one of them.
/// Bound: for any u, p >= 0 with sum_i w_i u_i = d and any z >= 0 with
///   z_i >= u_i a_ik + c_ik - s_i p_k  for every job and type,  z_a + z_b >= u_a r_aqk + u_b r_bqk + c_qk - s_q p_k  for every pair and type
/// no shares reach more than sum_i z_i + sum_k p_k N_k - sum_i u_i b_i: multiply each row by its dual and add them up (weak duality). Types
/// without devices count nowhere. `pair_bound` makes u and z such, whatever it is given, and looks at every pair.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/optimize/share_program.hpp>

namespace hetsched::optimize {

/// Views: the caller's numbers, which must outlive a call. All finite. An empty span stands for zeros, but for `rates` and those of the pairs.
struct pair_program {
  std::size_t jobs = 0;
  std::size_t types = 0;                   ///< at most most_types
  std::span<const double> rates{};         ///< J x K: a >= 0, 0 where the job cannot run alone
  std::span<const double> devices{};       ///< J: s > 0
  std::span<const double> capacity{};      ///< K: N >= 0
  std::span<const double> worth{};         ///< J x K: c
  std::span<const double> base{};          ///< J: b
  std::span<const double> slope{};         ///< J: w >= 0
  std::span<const std::uint32_t> first{};  ///< P: a job; the same pair may come twice
  std::span<const std::uint32_t> second{}; ///< P: another, of as many devices
  std::span<const double> first_rates{};   ///< P x K: >= 0
  std::span<const double> second_rates{};  ///< P x K
  std::span<const double> pair_worth{};    ///< P x K
  bool seeks_level = false;                ///< d = 1; else d = 0 and t = 0

  std::size_t pairs() const { return first.size(); }
  double base_of(std::size_t i) const { return base.empty() ? 0.0 : base[i]; }
  double slope_of(std::size_t i) const { return slope.empty() ? 0.0 : slope[i]; }
  double worth_of(std::size_t cell) const { return worth.empty() ? 0.0 : worth[cell]; }
  double pair_worth_of(std::size_t cell) const { return pair_worth.empty() ? 0.0 : pair_worth[cell]; }
  /// Its row may bind: else its rate is nobody's concern.
  bool asks_rate(std::size_t i) const { return (seeks_level && slope_of(i) > 0) || base_of(i) > 0; }
};

struct pair_solution {
  share_status status = share_status::infeasible;
  double level = 0;        ///< t
  double lower_bound = 0;  ///< of the objective: what the shares reach
  double upper_bound = 0;  ///< what no shares exceed
  std::vector<double> prices;       ///< K: p
  std::vector<double> rate_prices;  ///< J: u
  std::vector<double> time_prices;  ///< J: z, such that the duals are feasible for every pair
  std::vector<double> shares;       ///< J x K: x
  std::vector<double> pair_shares;  ///< P x K: y
  int iterations = 0;               ///< of the interior-point method, in all
  int programs = 0;                 ///< that it solved
  std::size_t columns = 0;          ///< pair columns in the last of them

  double gap() const { return upper_bound - lower_bound; }
};

/// Makes duals feasible, every job and pair looked at, and says what they prove.
/// @param u  J, scaled so that sum w u = d; entries below 0 and those of jobs whose rate is nobody's concern become 0
/// @param z  J, raised where it has to be: both of a pair by half of what is missing
/// @param p  K, >= 0; scaled with u
/// @return the upper bound; infinite where a level is sought and no u is above 0
/// Cost O((J + P) K).
inline double pair_bound(const pair_program& in, std::span<double> u, std::span<double> z, std::span<double> p) {
  const std::size_t J = in.jobs, K = in.types;
  double weighed = 0;
  for (std::size_t i = 0; i < J; ++i) {
    u[i] = in.asks_rate(i) ? std::fmax(u[i], 0.0) : 0.0;
    weighed += in.slope_of(i) * u[i];
  }
  if (in.seeks_level) {
    if (!(weighed > 0)) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < J; ++i) {
      u[i] /= weighed;
      z[i] /= weighed;
    }
    for (std::size_t k = 0; k < K; ++k) p[k] /= weighed;
  }
  double bound = 0;
  for (std::size_t k = 0; k < K; ++k) {
    p[k] = std::fmax(p[k], 0.0);
    bound += p[k] * in.capacity[k];
  }
  for (std::size_t i = 0; i < J; ++i) {
    z[i] = std::fmax(z[i], 0.0);
    for (std::size_t k = 0; k < K; ++k)
      if (in.capacity[k] > 0) z[i] = std::fmax(z[i], u[i] * in.rates[i * K + k] + in.worth_of(i * K + k) - in.devices[i] * p[k]);
  }
  for (std::size_t q = 0; q < in.pairs(); ++q) {
    const std::uint32_t a = in.first[q], b = in.second[q];
    const double have = z[a] + z[b];
    double need = have;
    for (std::size_t k = 0; k < K; ++k)
      if (in.capacity[k] > 0) {
        const std::size_t at = q * K + k;
        need = std::fmax(need, u[a] * in.first_rates[at] + u[b] * in.second_rates[at] + in.pair_worth_of(at) - in.devices[a] * p[k]);
      }
    if (!(need > have)) continue;
    z[a] += (need - have) / 2;
    z[b] += (need - have) / 2;
  }
  for (std::size_t i = 0; i < J; ++i) bound += z[i] - u[i] * in.base_of(i);
  return bound;
}

}  // namespace hetsched::optimize
