#pragma once
// The plainest resource model over nodes: a list of device states, looked through at every question. What a fast model must agree with, and
// the minimal model of the concepts: it has no marks (it is copied instead).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <hetsched/resource/concept.hpp>

namespace laws {

// Random numbers of our own: the same on every platform.
class draw {
 public:
  explicit draw(std::uint64_t seed) : state_{seed} {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // In [least, most].
  int between(int least, int most) { return least + static_cast<int>(bits() % static_cast<std::uint64_t>(most - least + 1)); }
  bool chance(int percent) { return between(1, 100) <= percent; }

  template <class Row>
  void shuffle(std::vector<Row>& rows) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[static_cast<std::size_t>(bits() % i)]);
  }

 private:
  std::uint64_t state_;
};

class plain_nodes {
 public:
  struct device {
    hetsched::node_state state = hetsched::node_state::up;  // the worse of its own and its node's
    hetsched::node_state own = hetsched::node_state::up;
    bool held = false;
    friend bool operator==(const device&, const device&) = default;
  };
  struct node {
    hetsched::type_id type{};
    std::vector<device> devices;
    hetsched::node_state whole = hetsched::node_state::up;
    friend bool operator==(const node&, const node&) = default;
  };

  const hetsched::device_types& types() const { return types_; }
  std::span<const std::int64_t> capacity() const { return capacity_; }
  std::span<const std::int64_t> free() const { return free_; }
  std::size_t nodes() const { return nodes_.size(); }
  const std::vector<node>& all() const { return nodes_; }

  // As the powers-of-two ladder says it: try every count of workers.
  void columns(const hetsched::request& asked, std::vector<hetsched::column>& out) const {
    const auto [least, wished, most] = asked.size;
    const int worker = asked.worker;
    if (asked.milli != hetsched::whole_device || least < 1 || worker < 1 || least % worker != 0 || wished % worker != 0 || most % worker != 0) return;
    for (std::size_t t = 0; t < types_.size(); ++t) {
      const auto type = static_cast<hetsched::type_id>(t);
      if (!asked.types.contains(type)) continue;
      int total = 0, largest = 0, some = 0;
      for (const node& n : nodes_)
        if (n.type == type && size(n) >= worker) {
          total += size(n) / worker;
          largest = std::max(largest, size(n) / worker);
          ++some;
        }
      for (int n = least / worker; n * worker <= most && n <= total; ++n) {
        if (n * worker != least && n * worker != wished && n * worker != most && (n & (n - 1)) != 0) continue;
        auto how = hetsched::column::of(type, n);
        how.parts[0].devices = worker;
        how.span = hetsched::node_range::one();
        if (n <= largest) out.push_back(how);
        how.span = hetsched::node_range::several();
        if (n > 1 && some > 1) out.push_back(how);
      }
    }
  }

  bool reserve(std::span<const hetsched::held_device> devices) { return change(devices, true); }
  bool release(std::span<const hetsched::held_device> devices) { return change(devices, false); }

  hetsched::node_id add_node(std::string_view type, int devices) {
    node n;
    if (devices > 0) n.type = types_.add(type);
    n.devices.resize(static_cast<std::size_t>(devices));
    nodes_.push_back(n);
    count();
    return static_cast<hetsched::node_id>(nodes_.size() - 1);
  }
  void set_state(hetsched::node_id where, std::optional<int> which, hetsched::node_state s) {
    node& n = nodes_[index(where)];
    if (which) n.devices[static_cast<std::size_t>(*which)].own = s;
    else n.whole = s;
    for (auto& d : n.devices) d.state = std::max(d.own, n.whole);
    count();
  }

  bool is_held(hetsched::held_device d) const { return known(d) && at(d).held; }
  bool is_free(hetsched::held_device d) const { return known(d) && free(at(d)); }

  std::optional<int> at_least(hetsched::type_id type, int f) const { return nearest(type, f, true, false); }
  std::optional<int> at_most(hetsched::type_id type, int f) const { return nearest(type, f, false, false); }
  std::optional<int> idle_at_most(hetsched::type_id type, int f) const { return nearest(type, f, false, true); }
  std::optional<hetsched::node_id> first_with(hetsched::type_id type, int f) const { return first_from(type, f, 0, false); }
  std::optional<hetsched::node_id> next_with(hetsched::type_id type, int f, hetsched::node_id n) const {
    return first_from(type, f, index(n) + 1, false);
  }
  std::optional<hetsched::node_id> first_idle_with(hetsched::type_id type, int f) const { return first_from(type, f, 0, true); }
  std::optional<hetsched::node_id> next_idle_with(hetsched::type_id type, int f, hetsched::node_id n) const {
    return first_from(type, f, index(n) + 1, true);
  }
  int free_on(hetsched::node_id n) const { return counted_[index(n)].free; }
  void list_free(hetsched::node_id where, int f, std::vector<hetsched::held_device>& out) const {
    const node& n = nodes_[index(where)];
    for (int d = 0; d < size(n) && f > 0; ++d)
      if (free(n.devices[static_cast<std::size_t>(d)])) {
        out.push_back({where, static_cast<std::uint16_t>(d), hetsched::whole_device});
        --f;
      }
  }

 private:
  static int size(const node& n) { return static_cast<int>(n.devices.size()); }
  static bool free(const device& d) { return d.state == hetsched::node_state::up && !d.held; }
  bool known(hetsched::held_device d) const {
    return index(d.node) < nodes_.size() && d.device < nodes_[index(d.node)].devices.size();
  }
  const device& at(hetsched::held_device d) const { return nodes_[index(d.node)].devices[d.device]; }
  bool change(std::span<const hetsched::held_device> devices, bool take) {
    std::set<hetsched::held_device> met;
    for (const auto d : devices)
      if (!known(d) || d.milli != hetsched::whole_device || !(take ? free(at(d)) : at(d).held) || !met.insert(d).second) return false;
    for (const auto d : devices) nodes_[index(d.node)].devices[d.device].held = take;
    count();
    return true;
  }

  void count() {
    capacity_.assign(types_.size(), 0);
    free_.assign(types_.size(), 0);
    counted_.assign(nodes_.size(), {});
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const device& d : nodes_[i].devices) {
        capacity_[index(nodes_[i].type)] += d.state == hetsched::node_state::up ? 1 : 0;
        free_[index(nodes_[i].type)] += free(d) ? 1 : 0;
        counted_[i].free += free(d) ? 1 : 0;
        counted_[i].held += d.held ? 1 : 0;
      }
  }

  std::optional<int> nearest(hetsched::type_id type, int f, bool up, bool idle_only) const {
    std::optional<int> best;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const int here = counted_[i].free;
      if (here == 0 || nodes_[i].type != type || (up ? here < f : here > f) || (idle_only && counted_[i].held != 0)) continue;
      if (!best || (up ? here < *best : here > *best)) best = here;
    }
    return best;
  }

  std::optional<hetsched::node_id> first_from(hetsched::type_id type, int f, std::size_t from, bool idle_only) const {
    for (std::size_t i = from; i < nodes_.size() && f > 0; ++i) {
      if (nodes_[i].type == type && counted_[i].free == f && (!idle_only || counted_[i].held == 0)) return static_cast<hetsched::node_id>(i);
    }
    return std::nullopt;
  }

  hetsched::device_types types_;
  std::vector<node> nodes_;
  struct counts {
    int free = 0;
    int held = 0;
  };

  std::vector<counts> counted_;
  std::vector<std::int64_t> capacity_, free_;
};

static_assert(hetsched::resource_model<plain_nodes> && hetsched::changing_cluster<plain_nodes> && hetsched::idle_nodes<plain_nodes>);
static_assert(!hetsched::marks<plain_nodes>);

}  // namespace laws
