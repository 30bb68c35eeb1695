#pragma once

/// The curves that a loss or a metric may follow.
///
/// Problem    y(k) = c + A g(k; theta) for a loss, c - A g(k; theta) for a metric that rises; A, c >= 0; g falls in k.
///            Every variant has one nonlinear parameter theta; the rest is linear. What the literature gives a second shape
///            parameter is here a few variants, each with a fixed second parameter (`second`).
/// Method     u = (k - origin) / span with the span of what was seen, so that theta has the same range for every curve.
/// Cost       shape: up to three calls of exp, log or pow.
/// Source     Peng et al., EuroSys 2018 (Optimus): inverse_linear. Zhang et al., SoCC 2017 (SLAQ): quadratic_inverse, and
///            mu^(k-b) + c, which is `exponential` with A = mu^-b. Domhan, Springenberg and Hutter, IJCAI 2015: the rising
///            ones; pow3 is `power`, pow4 `shifted_power`, exp4, Weibull and Janoschek `stretched`, MMF and Hill3 `mmf`.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hetsched::convergence {

enum class family : std::uint8_t {
  inverse_linear,     ///< 1 / (1 + theta u)
  power,              ///< (k + 1)^-theta
  exponential,        ///< e^-(theta u)
  quadratic_inverse,  ///< 1 / (1 + theta u + second (theta u)^2)
  shifted_power,      ///< (1 + theta u)^-second
  stretched,          ///< e^-(theta u)^second
  mmf,                ///< 1 / (1 + (theta u)^second)
  log_power,          ///< 1 / (1 + (ln(k + 1) / theta)^second)
  inverse_log,        ///< 1 / ln(k + 1 + theta)
  log_log,            ///< -ln(ln(k + 1) + theta), up to a constant
};
inline constexpr std::size_t family_count = 10;

constexpr std::string_view name(family f) {
  constexpr std::array<std::string_view, family_count> names{"inverse_linear", "power", "exponential", "quadratic_inverse", "shifted_power",
                                                             "stretched",      "mmf",   "log_power",   "inverse_log",       "log_log"};
  return names[static_cast<std::size_t>(f)];
}

/// Where theta may lie; it is searched on a logarithmic grid.
struct theta_range {
  double low, high;
};

struct variant {
  family which{};
  double second = 1;
  double log_prior = 0;
  theta_range range{};
};

/// For a loss. Those beyond the four that schedulers use weigh less until the data say otherwise.
inline constexpr std::array<variant, 11> falling_variants{{
    {family::inverse_linear, 1, 0, {0.02, 5e3}},
    {family::power, 1, 0, {0.02, 5}},
    {family::exponential, 1, 0, {0.05, 200}},
    {family::quadratic_inverse, 0.05, -2, {0.02, 2e3}},
    {family::quadratic_inverse, 0.2, -2, {0.02, 1e3}},
    {family::quadratic_inverse, 0.7, -2, {0.02, 500}},
    {family::quadratic_inverse, 3, -2, {0.02, 200}},
    {family::shifted_power, 0.5, -3, {0.02, 1e5}},
    {family::stretched, 0.5, -3, {0.02, 1e3}},
    {family::stretched, 0.7, -3, {0.02, 1e3}},
    {family::inverse_log, 1, -3, {0.1, 1e6}},
}};

/// For a metric that rises.
inline constexpr std::array<variant, 20> rising_variants{{
    {family::inverse_linear, 1, 0, {0.02, 5e3}},
    {family::power, 1, 0, {0.02, 5}},
    {family::exponential, 1, 0, {0.05, 200}},
    {family::quadratic_inverse, 0.2, -2, {0.02, 1e3}},
    {family::quadratic_inverse, 1, -2, {0.02, 500}},
    {family::shifted_power, 0.5, -1, {0.02, 1e5}},
    {family::shifted_power, 2, -2, {0.02, 500}},
    {family::stretched, 0.35, -2, {0.02, 1e4}},
    {family::stretched, 0.5, -1, {0.02, 1e3}},
    {family::stretched, 0.7, -1, {0.02, 1e3}},
    {family::stretched, 0.85, -2, {0.02, 500}},
    {family::stretched, 1.3, -2, {0.1, 50}},
    {family::mmf, 0.5, -1, {0.02, 1e5}},
    {family::mmf, 0.75, -0.5, {0.02, 1e4}},
    {family::mmf, 1.3, -1, {0.02, 500}},
    {family::mmf, 1.6, -1, {0.05, 200}},
    {family::mmf, 2, -2, {0.1, 100}},
    {family::log_power, 3, -2, {0.3, 30}},
    {family::inverse_log, 1, 0, {0.1, 1e6}},
    {family::log_log, 1, -2, {0.05, 100}},
}};

/// For a first look, either way.
inline constexpr std::array<variant, 6> quick_variants{{
    {family::inverse_linear, 1, 0, {0.02, 5e3}},
    {family::power, 1, 0, {0.02, 5}},
    {family::exponential, 1, 0, {0.05, 200}},
    {family::quadratic_inverse, 0.3, 0, {0.02, 1e3}},
    {family::stretched, 0.6, 0, {0.02, 1e3}},
    {family::shifted_power, 0.5, 0, {0.02, 1e5}},
}};

/// A point's place on a curve, with the logarithms that shapes are made of.
struct place {
  double u = 0;
  double log_u = 0;         ///< -infinity at 0
  double log_step = 0;      ///< ln(k + 1)
  double log_log_step = 0;  ///< -infinity at 0

  place() = default;
  place(double k, double span) : u{k / span}, log_u{std::log(u)}, log_step{std::log1p(k)}, log_log_step{std::log(log_step)} {}
};

/// g at a place of k >= 0.
inline double shape(const variant& f, double theta, const place& at) {
  const double v = theta * at.u;
  switch (f.which) {
    case family::inverse_linear: return 1 / (1 + v);
    case family::power: return std::exp(-theta * at.log_step);
    case family::exponential: return std::exp(-v);
    case family::quadratic_inverse: return 1 / (1 + v * (1 + f.second * v));
    case family::shifted_power: return f.second == 0.5 ? 1 / std::sqrt(1 + v) : f.second == 2 ? 1 / ((1 + v) * (1 + v)) : std::pow(1 + v, -f.second);
    case family::stretched: return std::exp(-(f.second == 0.5 ? std::sqrt(v) : std::exp(f.second * (std::log(theta) + at.log_u))));
    case family::mmf: return 1 / (1 + (f.second == 0.5 ? std::sqrt(v) : f.second == 2 ? v * v : std::exp(f.second * (std::log(theta) + at.log_u))));
    case family::log_power: return 1 / (1 + std::exp(f.second * (at.log_log_step - std::log(theta))));
    case family::inverse_log: return 1 / std::log(std::exp(at.log_step) + theta);
    case family::log_log: return -std::log(at.log_step + theta);
  }
  return 0;
}

/// The shape at every place; what depends on theta alone is computed once.
inline void shapes(const variant& f, double theta, std::span<const place> places, std::span<double> out) {
  const double log_theta = std::log(theta), s = f.second;
  const auto each = [&](auto g) {
    for (std::size_t i = 0; i < places.size(); ++i) out[i] = g(places[i]);
  };
  switch (f.which) {
    case family::inverse_linear: return each([=](const place& p) { return 1 / (1 + theta * p.u); });
    case family::quadratic_inverse: return each([=](const place& p) { return 1 / (1 + theta * p.u * (1 + s * theta * p.u)); });
    case family::stretched:
      if (s == 0.5) break;
      return each([=](const place& p) { return std::exp(-std::exp(s * (log_theta + p.log_u))); });
    case family::mmf:
      if (s == 0.5 || s == 2) break;
      return each([=](const place& p) { return 1 / (1 + std::exp(s * (log_theta + p.log_u))); });
    case family::log_power: return each([=](const place& p) { return 1 / (1 + std::exp(s * (p.log_log_step - log_theta))); });
    default: break;
  }
  each([&](const place& p) { return shape(f, theta, p); });
}

}  // namespace hetsched::convergence
