#pragma once
// Laws of every resource model over nodes of whole devices. A new model adds a line to its test: laws::resource_model(ledger, plain, seed, steps)
// where both were built alike. A long random life, compared with the plain model after each step.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "laws/plain_nodes.hpp"

namespace laws {

// Every answer that the model gives is the plain model's.
template <class Ledger>
bool same_answers(const Ledger& ledger, const plain_nodes& plain) {
  const auto same = [](auto a, auto b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
  if (!same(ledger.capacity(), plain.capacity()) || !same(ledger.free(), plain.free())) return false;
  if constexpr (hetsched::changing_cluster<Ledger>)
    if (ledger.nodes() != plain.nodes()) return false;
  int most = 0;
  for (std::size_t i = 0; i < plain.nodes(); ++i) {
    const auto node = static_cast<hetsched::node_id>(i);
    most = std::max(most, static_cast<int>(plain.all()[i].devices.size()));
    if constexpr (hetsched::counted_nodes<Ledger>) {
      if (ledger.free_on(node) != plain.free_on(node)) return false;
      std::vector<hetsched::held_device> a, b;
      ledger.list_free(node, plain.free_on(node), a);
      plain.list_free(node, plain.free_on(node), b);
      if (a != b) return false;
    }
    if constexpr (hetsched::counted_devices<Ledger>)
      for (std::size_t d = 0; d <= plain.all()[i].devices.size(); ++d) {
        const hetsched::held_device asked{node, static_cast<std::uint16_t>(d)};
        if (ledger.is_free(asked) != plain.is_free(asked)) return false;
      }
  }
  if constexpr (hetsched::counted_nodes<Ledger>)
    for (std::size_t t = 0; t <= plain.types().size(); ++t) {
      const auto type = static_cast<hetsched::type_id>(t);
      for (int f = -1; f <= most + 1; ++f) {
        if (ledger.at_least(type, f) != plain.at_least(type, f) || ledger.at_most(type, f) != plain.at_most(type, f)) return false;
        if (ledger.first_with(type, f) != plain.first_with(type, f)) return false;
        for (auto n = plain.first_with(type, f); n; n = plain.next_with(type, f, *n))
          if (ledger.next_with(type, f, *n) != plain.next_with(type, f, *n)) return false;
        if constexpr (hetsched::idle_nodes<Ledger>) {
          if (ledger.idle_at_most(type, f) != plain.idle_at_most(type, f)) return false;
          if (ledger.first_idle_with(type, f) != plain.first_idle_with(type, f)) return false;
          for (auto n = plain.first_idle_with(type, f); n; n = plain.next_idle_with(type, f, *n))
            if (ledger.next_idle_with(type, f, *n) != plain.next_idle_with(type, f, *n)) return false;
        }
      }
      for (std::size_t n = 0; n < plain.nodes(); ++n) {  // after any node, its own type and count or not
        const auto node = static_cast<hetsched::node_id>(n);
        if (ledger.next_with(type, 1 + static_cast<int>(n % 3), node) != plain.next_with(type, 1 + static_cast<int>(n % 3), node)) return false;
      }
    }
  return true;
}

// One random life of a ledger and of the plain one.
template <hetsched::resource_model Ledger>
class life {
 public:
  life(Ledger ledger, plain_nodes plain, std::uint64_t seed) : ledger_{std::move(ledger)}, plain_{std::move(plain)}, draw_{seed} {}

  // Whether all answers agree after it.
  bool step() {
    const int what = draw_.between(0, 99);
    if (what < 35) take();
    else if (what < 65) give();
    else if (what < 75) spoil();
    else if (what < 90) level(what);
    else change_cluster(what);
    return agreed_ && same_answers(ledger_, plain_);
  }

  // Everything undone, released and up again: all that there is, is free.
  bool ends_at_zero() {
    while (!levels_.empty()) undo();
    std::vector<device> held;
    every([&](device d) { if (plain_.is_held(d)) held.push_back(d); });
    draw_.shuffle(held);
    agreed_ = agreed_ && ledger_.release(held) && plain_.release(held);
    if constexpr (hetsched::changing_cluster<Ledger>)
      for (std::size_t n = 0; n < plain_.nodes(); ++n) set(static_cast<hetsched::node_id>(n), std::nullopt, hetsched::node_state::up);
    const auto capacity = ledger_.capacity();
    const auto free = ledger_.free();
    return agreed_ && same_answers(ledger_, plain_) && std::equal(capacity.begin(), capacity.end(), free.begin());
  }

 private:
  using device = hetsched::held_device;

  template <class F>
  void every(F f) {
    for (std::size_t n = 0; n < plain_.nodes(); ++n)
      for (std::size_t d = 0; d < plain_.all()[n].devices.size(); ++d)
        f(device{static_cast<hetsched::node_id>(n), static_cast<std::uint16_t>(d)});
  }

  // Some of the devices that are held, or free; half the time all on one node, half the time in no order.
  std::vector<device> some(bool held) {
    std::vector<device> all;
    const bool one = draw_.chance(50);
    const auto node = static_cast<hetsched::node_id>(draw_.bits() % std::max<std::size_t>(plain_.nodes(), 1));
    every([&](device d) { if ((!one || d.node == node) && (held ? plain_.is_held(d) : plain_.is_free(d))) all.push_back(d); });
    draw_.shuffle(all);
    if (!all.empty()) all.resize(static_cast<std::size_t>(draw_.between(0, std::min(static_cast<int>(all.size()), draw_.chance(10) ? 1000 : 8))));
    if (draw_.chance(50)) std::sort(all.begin(), all.end());
    return all;
  }

  void take() {
    const auto list = some(false);
    agreed_ = agreed_ && ledger_.reserve(list) && plain_.reserve(list);
  }
  void give() {
    const auto list = some(true);
    agreed_ = agreed_ && ledger_.release(list) && plain_.release(list);
  }
  // A list with something wrong in it somewhere.
  void spoil() {
    const bool reserve = draw_.chance(50);
    auto list = some(!reserve);
    device wrong;
    switch (draw_.between(0, 5)) {
      case 0: wrong = {static_cast<hetsched::node_id>(plain_.nodes() + static_cast<std::size_t>(draw_.between(0, 2))), 0}; break;
      case 1: wrong = {hetsched::node_id{0}, static_cast<std::uint16_t>(draw_.between(0, 1) == 0 ? 65535 : 64)}; break;
      case 2: if (!list.empty()) wrong = list[static_cast<std::size_t>(draw_.bits() % list.size())]; break;  // twice
      case 3: if (!list.empty()) wrong = list.back(), wrong.milli = 500, list.pop_back(); break;
      default: {
        const auto other = some(reserve);  // held where free is needed, or free where held is
        if (!other.empty()) wrong = other.front();
      }
    }
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(draw_.bits() % (list.size() + 1)), wrong);
    if (reserve) agreed_ = agreed_ && ledger_.reserve(list) == plain_.reserve(list);
    else agreed_ = agreed_ && ledger_.release(list) == plain_.release(list);
  }

  void level(int what) {
    if constexpr (hetsched::marks<Ledger>) {
      if (what < 82 && levels_.size() < 6) {
        ledger_.mark();
        levels_.push_back(plain_);
      } else if (!levels_.empty()) {
        if (what % 2 == 0) {
          undo();
        } else {
          ledger_.keep();
          levels_.pop_back();
        }
      }
    }
  }
  void undo() {
    if constexpr (hetsched::marks<Ledger>) {
      ledger_.undo();
      plain_ = levels_.back();
      levels_.pop_back();
    }
  }

  void change_cluster(int what) {
    if constexpr (hetsched::changing_cluster<Ledger>) {
      if (!levels_.empty()) return;
      if (plain_.nodes() == 0 || (what == 90 && plain_.nodes() < 14 && draw_.chance(10))) {
        const std::string type(1, static_cast<char>('a' + draw_.between(0, 3)));
        const int devices = draw_.chance(5) ? draw_.between(60, 140) : draw_.between(0, 9);
        agreed_ = agreed_ && ledger_.add_node(type, devices) == plain_.add_node(type, devices);
        return;
      }
      const auto node = static_cast<hetsched::node_id>(draw_.between(0, static_cast<int>(plain_.nodes()) - 1));
      const int devices = static_cast<int>(plain_.all()[index(node)].devices.size());
      const auto one = devices > 0 && draw_.chance(50) ? std::optional{draw_.between(0, devices - 1)} : std::nullopt;
      using state = hetsched::node_state;
      const state states[]{state::up, state::up, state::down, state::drained};
      set(node, one, states[draw_.between(0, 3)]);
    }
  }
  void set(hetsched::node_id node, std::optional<int> one, hetsched::node_state s) {
    if constexpr (hetsched::changing_cluster<Ledger>) {
      ledger_.set_state(node, one, s);
      plain_.set_state(node, one, s);
    }
  }

  Ledger ledger_;
  plain_nodes plain_;
  std::vector<plain_nodes> levels_;
  draw draw_;
  bool agreed_ = true;
};

template <hetsched::resource_model Ledger>
void resource_model(const Ledger& ledger, const plain_nodes& plain, std::uint64_t seed, int steps) {
  CAPTURE(seed);
  life<Ledger> one{ledger, plain, seed};
  for (int i = 0; i < steps; ++i)
    if (!one.step()) FAIL("step " << i << " differs from the plain model");
  CHECK(one.ends_at_zero());

  // Every column of a random request is the plain model's, and asking changes nothing.
  draw random{seed};
  for (int i = 0; i < 200; ++i) {
    hetsched::request asked;
    asked.worker = random.chance(50) ? 1 : random.between(0, 4);
    const int unit = random.chance(90) ? asked.worker : 1;
    const int least = random.between(0, 6), wished = random.between(0, 12), most = random.between(0, 40);
    asked.size = {least * unit, wished * unit, most * unit};
    if (random.chance(10)) asked.milli = 500;
    if (random.chance(30)) {
      asked.types = hetsched::type_set::none();
      asked.types.insert(hetsched::type_id{1});
    }
    std::vector<hetsched::column> a, b;
    ledger.columns(asked, a);
    plain.columns(asked, b);
    if (least <= wished && wished <= most) CHECK(a == b);
  }
  CHECK(same_answers(ledger, plain));
}

}  // namespace laws
