#pragma once

/// Prices for the choice problem: its Lagrangian dual.
///
/// Problem    minimise  D(y) = sum_k y_k + sum_j max(0, max_c (v_c - y a_c))  over y >= 0,
///            y_k the price of the whole capacity k, a_ck the part of it that column c uses. D(y) is never below the best selection.
/// Method     Every maximum is replaced by m log(sum exp(. / m)), every y_k >= 0 by a barrier -m log y_k: a smooth convex function whose
///            gradient and curvature one pass gives. Newton's method follows its minimum while m falls to nothing. The number
///            of passes hardly depends on the number of resources. As m falls, most jobs are sure of their column for all prices near
///            by: they are summed up once and left out of the passes until the prices have left that neighbourhood.
/// Cost       20 to 40 passes, of which a handful over all columns; a pass is O(uses + jobs near a tie x R^2), a step O(R^3).
/// Fails      never: D is a bound at whatever prices the method ends.
/// Source     the smoothing is Nesterov, Smooth minimization of non-smooth functions, Math. Programming 103, 2005; following its path by
///            Newton's method is the entropic barrier method for linear programs.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <hetsched/optimize/choice/core.hpp>

namespace hetsched::optimize::detail {

class choice_prices {
 public:
  using vector = std::array<double, choice_problem::most_resources>;

  vector price{};     ///< y with the least D seen
  double bound = 0;   ///< D there
  vector central{};   ///< y where the method ended: the shares of smoothed choices use the capacity up
  double smoothing = 0;  ///< m there
  std::uint32_t passes = 0;

  /// @param start     y to start from; warm says that it is near the end
  /// @param accuracy  D may end this far above its least value, about
  void run(const choice_core& core, const vector& start, bool warm, double accuracy) {
    r_ = core.resources;
    passes = 0;
    price = vector{};
    central = vector{};
    smoothing = 0;
    bound = core.worth;
    accuracy_ = accuracy;
    if (core.jobs() > 0 && r_ > 0) {
      const double mean = core.worth / static_cast<double>(core.jobs());
      const double last = std::max(accuracy / (4.0 * static_cast<double>(r_) + 4.0), 1e-11 * mean);
      vector y = start;
      for (std::size_t k = 0; k < r_; ++k)
        if (!warm || !(y[k] > 0)) y[k] = warm ? 1e-3 * mean : 0.5 * core.worth / static_cast<double>(r_);
      double m = (warm ? 0.005 : 0.2) * mean;
      if (!warm && core.jobs() >= 2 * sample_size) {
        sample(core);
        follow(core, y, m, 0.002 * mean);
        m = 0.002 * mean;
        bound = core.worth;
        price = vector{};
      }
      everybody(core);
      follow(core, y, m, last);
      central = y;
      smoothing = m;
      drop_small(core, y);
    }
    note(core);
  }

 private:
  static constexpr int most_passes = 200;
  static constexpr std::size_t sample_size = 200;
  static constexpr double negligible = 26.0;  // exp(-26) is 5e-12

  struct tally {
    double sharp = 0;   // D
    double smooth = 0;  // with the barrier
    std::size_t unsure = 0;  // jobs near a tie
    vector demand{};
    std::array<vector, choice_problem::most_resources> spread{};  // of the use, times m: the curvature of the choices
  };

  // Newton's method at m, then at ever smaller ones down to `last`; leaves y and m where it ended.
  void follow(const choice_core& core, vector& y, double& m, double last) {
    visit(core, y, m, 0);
    std::swap(here_, there_);
    vector before{};
    double m_before = 0;
    double moved = 0, bound_before = bound;
    for (int left = most_passes; left > 0;) {
      const double falls = direction(here_, y, m);
      double longest = 1.0;
      for (std::size_t k = 0; k < r_; ++k)
        if (step_[k] < 0) longest = std::min(longest, -0.9 * y[k] / step_[k]);
      bool went = false;
      double t = longest;
      for (int tries = 0; tries < 8 && left > 0 && !went; ++tries, --left) {
        vector to = y;
        double far = 0;
        for (std::size_t k = 0; k < r_; ++k) {
          to[k] = std::max(y[k] + t * step_[k], 0.1 * y[k]);
          far = std::max(far, std::abs(to[k] - y[k]));
        }
        visit(core, to, m, far);
        if (there_.smooth <= here_.smooth - 0.05 * t * falls + 1e-13 * std::abs(here_.smooth)) {
          y = to;
          moved = far;
          std::swap(here_, there_);
          went = true;
        } else {
          t *= 0.3;
        }
      }
      const double unsure = static_cast<double>(r_) + 0.02 * static_cast<double>(here_.unsure);
      if (went && falls > 0.5 * m * unsure && t * falls > 0.01 * accuracy_) continue;
      if (m <= last || (m_before > 0 && bound_before - bound <= accuracy_ && unsure * m <= 100 * accuracy_)) break;
      bound_before = bound;
      // Once m is small the minimum moves in a straight line with m.
      const double next = std::max(m * 0.1, last);
      vector to = y;
      if (m_before > 0) {
        for (std::size_t k = 0; k < r_; ++k) to[k] = std::max(y[k] + (y[k] - before[k]) * (m - next) / (m_before - m), 0.1 * y[k]);
      }
      before = y;
      m_before = m;
      y = to;
      m = next;
      visit(core, y, m, moved);
      std::swap(here_, there_);
      --left;
    }
  }

  // Those who are sure of their column while prices move within `move` are left out from then on.
  void visit(const choice_core& core, const vector& y, double m, double move) {
    double far = 0;
    for (std::size_t k = 0; k < r_; ++k) far = std::max(far, std::abs(y[k] - at_[k]));
    const bool narrower = 4 * open_.size() > all_.size() && (8 * move < reach_ || 8 * m < least_m_);
    if (far <= reach_ && m <= least_m_ && !narrower) {
      evaluate(core, y, m, there_);
      return;
    }
    open_ = all_;
    settled_value_ = 0;
    settled_use_ = vector{};
    at_ = y;
    least_m_ = m;
    reach_ = 2 * move;
    if (move > 0) {
      kept_ = 0;
      settling_ = true;
    }
    evaluate(core, y, m, there_);
    if (move > 0) open_.resize(kept_);
    settling_ = false;
  }

  void everybody(const choice_core& core) {
    all_.resize(core.jobs());
    for (std::size_t j = 0; j < all_.size(); ++j) all_[j] = static_cast<std::uint32_t>(j);
    weight_ = 1;
    reach_ = -1;
  }

  // Evenly spread jobs that stand for all.
  void sample(const choice_core& core) {
    const std::size_t every = core.jobs() / sample_size;
    all_.clear();
    for (std::size_t j = every / 2; j < core.jobs(); j += every) all_.push_back(static_cast<std::uint32_t>(j));
    weight_ = static_cast<double>(core.jobs()) / static_cast<double>(all_.size());
    reach_ = -1;
  }

  void evaluate(const choice_core& core, const vector& y, double m, tally& out) {
    ++passes;
    out.unsure = 0;
    const double value = settled_value_;
    const vector use = settled_use_;
    out.sharp = value;
    for (std::size_t k = 0; k < r_; ++k) {
      out.sharp -= y[k] * use[k];
      out.demand[k] = use[k];
      for (std::size_t l = 0; l < r_; ++l) out.spread[k][l] = 0;
    }
    out.smooth = out.sharp;
    if (core.single)
      for (const std::uint32_t j : open_) add<true>(core, j, y.data(), m, out);
    else
      for (const std::uint32_t j : open_) add<false>(core, j, y.data(), m, out);
    out.sharp *= weight_;
    out.smooth *= weight_;
    for (std::size_t k = 0; k < r_; ++k) {
      out.demand[k] *= weight_;
      for (std::size_t l = 0; l < r_; ++l) out.spread[k][l] *= weight_;
      out.sharp += y[k];
      out.smooth += y[k] - m * std::log(y[k]);
    }
    if (out.sharp < bound) {
      bound = out.sharp;
      price = y;
    }
  }

  template <bool Single>
  void add(const choice_core& core, std::uint32_t j, const double* y, double m, tally& out) {
    const std::uint32_t from = core.first[j], to = core.first[j + 1];
    if (scores_.size() < to - from) scores_.resize(to - from);
    double* const s = scores_.data();
    double best = 0, second = -std::numeric_limits<double>::infinity();
    std::uint32_t who = choice_core::nothing;
    for (std::uint32_t c = from; c < to; ++c) {
      const double v = core.score_as<Single>(c, y);
      s[c - from] = v;
      if (v > best) {
        second = best;
        best = v;
        who = c;
      } else if (v > second) {
        second = v;
      }
    }
    if (settling_) {
      if (sure<Single>(core, from, to, who, best, m))
        settle(core, who);
      else
        open_[kept_++] = j;
    }
    out.sharp += best;
    if (best - second > negligible * m) {
      out.smooth += best;
      if (who == choice_core::nothing) return;
      for (std::uint32_t i = core.use_first[who]; i < core.use_first[who + 1]; ++i) out.demand[core.use_of[i]] += core.use_part[i];
      return;
    }
    ++out.unsure;
    const double cut = best - negligible * m;
    double sum = best <= negligible * m ? std::exp(-best / m) : 0.0;
    for (std::uint32_t c = from; c < to; ++c) {
      if (s[c - from] < cut) {
        s[c - from] = 0;
        continue;
      }
      s[c - from] = std::exp((s[c - from] - best) / m);
      sum += s[c - from];
    }
    out.smooth += best + m * std::log(sum);
    vector& mean = mean_;
    for (std::size_t k = 0; k < r_; ++k) mean[k] = 0;
    for (std::uint32_t c = from; c < to; ++c) {
      const double x = s[c - from] / sum;
      if (x == 0) continue;
      if constexpr (Single) {
        const double part = core.one_part[c], share = x * part;
        mean[core.one_of[c]] += share;
        out.spread[core.one_of[c]][core.one_of[c]] += share * part;
      } else {
        for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i) {
          mean[core.use_of[i]] += x * core.use_part[i];
          for (std::uint32_t l = core.use_first[c]; l < core.use_first[c + 1]; ++l)
            out.spread[core.use_of[i]][core.use_of[l]] += x * core.use_part[i] * core.use_part[l];
        }
      }
    }
    for (std::size_t k = 0; k < r_; ++k) {
      out.demand[k] += mean[k];
      for (std::size_t l = 0; l < r_; ++l) out.spread[k][l] -= mean[k] * mean[l];
    }
  }

  // No price that moves by reach_ or less brings another column close.
  template <bool Single>
  bool sure(const choice_core& core, std::uint32_t from, std::uint32_t to, std::uint32_t who, double best, double m) const {
    const double mine = who == choice_core::nothing ? 0 : core.parts_of<Single>(who), lead = best - negligible * m;
    if (who != choice_core::nothing && lead <= reach_ * mine) return false;
    for (std::uint32_t c = from; c < to; ++c)
      if (c != who && lead - scores_[c - from] <= reach_ * (mine + core.parts_of<Single>(c))) return false;
    return true;
  }

  void settle(const choice_core& core, std::uint32_t c) {
    if (c == choice_core::nothing) return;
    settled_value_ += core.value[c];
    for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i) settled_use_[core.use_of[i]] += core.use_part[i];
  }

  // Newton's step from a tally; returns how fast the function falls along it.
  double direction(const tally& at, const vector& y, double m) {
    double trace = 0;
    for (std::size_t k = 0; k < r_; ++k) {
      gradient_[k] = 1.0 - m / y[k] - at.demand[k];
      for (std::size_t l = 0; l < r_; ++l) matrix_[k][l] = at.spread[k][l] / m;
      matrix_[k][k] = std::max(matrix_[k][k], 0.0) + m / (y[k] * y[k]);
      trace += matrix_[k][k];
    }
    for (double ridge = 1e-14 * trace;; ridge *= 100) {
      if (factorise(ridge)) break;
    }
    for (std::size_t k = 0; k < r_; ++k) {
      double v = -gradient_[k];
      for (std::size_t l = 0; l < k; ++l) v -= factor_[k][l] * step_[l];
      step_[k] = v / factor_[k][k];
    }
    for (std::size_t k = r_; k-- > 0;) {
      double v = step_[k];
      for (std::size_t l = k + 1; l < r_; ++l) v -= factor_[l][k] * step_[l];
      step_[k] = v / factor_[k][k];
    }
    double falls = 0;
    for (std::size_t k = 0; k < r_; ++k) falls -= gradient_[k] * step_[k];
    return falls;
  }

  bool factorise(double ridge) {
    for (std::size_t k = 0; k < r_; ++k) {
      for (std::size_t l = 0; l <= k; ++l) {
        double v = matrix_[k][l];
        if (k == l) v += ridge;
        for (std::size_t i = 0; i < l; ++i) v -= factor_[k][i] * factor_[l][i];
        if (k != l) {
          factor_[k][l] = v / factor_[l][l];
        } else {
          if (!(v > 0.5 * ridge)) return false;
          factor_[k][k] = std::sqrt(v);
        }
      }
    }
    return true;
  }

  // A price that the barrier alone keeps above 0 is 0 in truth.
  void drop_small(const choice_core& core, const vector& y) {
    vector to = y;
    bool any = false;
    for (std::size_t k = 0; k < r_; ++k)
      if (to[k] < 100 * smoothing) {
        to[k] = 0;
        any = true;
      }
    double sum = 0;
    if (any) {
      for (std::size_t k = 0; k < r_; ++k) sum += to[k];
      for (std::size_t j = 0; j < core.jobs(); ++j) {
        double best = 0;
        for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) best = std::max(best, core.score(c, to.data()));
        sum += best;
      }
      ++passes;
      if (sum <= bound) {
        bound = sum;
        price = to;
      }
    }
  }

  // Rounding of the sum in `bound`.
  void note(const choice_core& core) {
    double magnitude = core.worth;
    for (std::size_t k = 0; k < r_; ++k) magnitude += 2 * price[k];
    bound += 3e-16 * magnitude * std::sqrt(static_cast<double>(core.jobs() + r_ + 1));
  }

  std::size_t r_ = 0;
  tally here_, there_;
  vector gradient_{}, step_{}, mean_{}, at_{};
  std::array<vector, choice_problem::most_resources> matrix_{}, factor_{};
  std::vector<double> scores_;

  std::vector<std::uint32_t> all_, open_;
  vector settled_use_{};
  double settled_value_ = 0;
  double reach_ = -1;
  double least_m_ = 0;
  double weight_ = 1;
  double accuracy_ = 0;
  bool settling_ = false;
  std::size_t kept_ = 0;
};

}  // namespace hetsched::optimize::detail
