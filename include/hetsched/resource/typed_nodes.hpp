#pragma once

/// Nodes of whole devices of one type each: the ledger of who may have what.
///
/// Problem    keep the state of every device (free, held, out of service) and answer at any moment how much is free by type,
///            which nodes have how many free, and which columns a request could ever take.
/// Method     a word of bits a state for each 64 devices of a node. The nodes of one type are grouped by size, within a factor of
///            two, and each group keeps its nodes in buckets by free devices, and those that nobody is on in buckets of their own.
///            Marks are an undo log of changed words.
/// Cost       reserve, release: O(1) a word of devices touched, and no allocation (an undo log that outgrows the room that
///            add_node made for it may). Searches: O(1) a group of sizes, mostly one. 64 bytes a node; half a byte a device
///            and, for the log, 32 bytes a device up to 16 MB: 3.3 MB for 10,000 nodes of 8, 0.7 MB for one node of 10,000.
/// Fails      reserve and release answer false and change nothing. What a user hands in (a node of two types, a negative count,
///            a 65th type, a state of an unknown device) is refused with invalid_input, and nothing has changed.
///
/// A device counts in `capacity` while it is up, held or not, and in `free` while it is up and nobody holds it. One that goes
/// down or is drained in somebody's hands leaves the capacity at once and stays held until it is released: more may be held
/// than the capacity says, and nothing new is placed there. When it comes up again in the same hands it is held, as before.
/// Whole devices only: a request for shares gets no columns, an item of other than 1000 thousandths is never reserved.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/config.hpp>
#include <hetsched/core/invalid_input.hpp>
#include <hetsched/resource/concept.hpp>
#include <hetsched/resource/count_buckets.hpp>

namespace hetsched {

/// Which counts an elastic job is offered.
enum class ladder : std::uint8_t {
  powers_of_two,  ///< (of workers) those between its limits, and its least, wished and most
  every,
};

struct node_options {
  ladder counts = ladder::powers_of_two;
};

/// A type of which `device_traits` can read a node and a kind.
template <class Device>
concept readable_device = requires(const Device& d) {
  device_traits<Device>::node(d);
  { device_traits<Device>::kind(d) } -> std::convertible_to<std::string_view>;
};

/// @tparam Options  as node_options. (A template, so that who includes this and has no such nodes pays little at compile time.)
template <class Options>
class basic_typed_nodes {
 public:
  /// Devices a node at most: held_device::device is an index of 16 bits.
  static constexpr int most_devices_a_node = 65536;

  basic_typed_nodes() = default;
  explicit basic_typed_nodes(Options options) : options_{options} {}

  /// One element a device. Nodes are numbered as they are first seen, the devices of a node as they come.
  /// @throws invalid_input  a node with devices of two types, a 65th type, more than 65,536 devices in a node
  template <std::ranges::input_range Devices>
    requires readable_device<std::ranges::range_value_t<Devices>> && (!std::same_as<std::remove_cvref_t<Devices>, basic_typed_nodes>)
  explicit basic_typed_nodes(const Devices& devices, Options options = {}) : options_{options} {
    read(devices);
  }

  // ---- what there is ----
  const device_types& types() const { return types_; }
  std::span<const std::int64_t> capacity() const { return {capacity_.data(), capacity_.size()}; }
  std::span<const std::int64_t> free() const { return {free_.data(), free_.size()}; }
  std::size_t nodes() const { return nodes_.size(); }

  /// Devices of the type, whatever their state: what a job larger than this can never have.
  std::int64_t most_devices(type_id type) const { return index(type) < kinds_.size() ? kinds_[index(type)].devices : 0; }
  /// Devices of the node, whatever their state.
  int devices_on(node_id node) const { return static_cast<int>(nodes_[index(node)].size); }
  /// Absent for a node without devices.
  std::optional<type_id> type_of(node_id node) const {
    const node_row& n = nodes_[index(node)];
    if (n.size == 0) return std::nullopt;
    return static_cast<type_id>(n.type);
  }
  node_state state(node_id node, int device) const {
    const auto [word, bit] = place_of(node, device);
    const node_state own = (word->out & bit) == 0 ? node_state::up : (word->drained & bit) != 0 ? node_state::drained : node_state::down;
    return std::max(own, nodes_[index(node)].whole);
  }
  /// Whether the device is in somebody's hands. An unknown device is neither held nor free.
  bool is_held(held_device d) const { return known(d) && (place_of(d.node, d.device).first->held & place_of(d.node, d.device).second) != 0; }
  bool is_free(held_device d) const { return known(d) && (place_of(d.node, d.device).first->free & place_of(d.node, d.device).second) != 0; }

  /// Appends a column on one node for each count that the largest node of a type holds, and one on several nodes for each
  /// count of more than one worker where more than one node of the type holds a worker, whatever is down or held: by type,
  /// count, one before several. None for counts that the type's nodes, all free, could not hold, for shares of a device, for
  /// sizes that are not whole workers, and for limits that contradict each other.
  void columns(const request& asked, std::vector<column>& out) const {
    const gang& size = asked.size;
    if (asked.milli != whole_device || asked.worker < 1 || size.least < 1 || size.least > size.most) return;
    if (size.least % asked.worker != 0 || size.wished % asked.worker != 0 || size.most % asked.worker != 0) return;
    const gang workers{size.least / asked.worker, size.wished / asked.worker, size.most / asked.worker};
    for (std::size_t t = 0; t < kinds_.size(); ++t) {
      if (!asked.types.contains(static_cast<type_id>(t))) continue;
      std::int64_t on_one = 0;
      std::int64_t on_all = 0;
      std::int64_t nodes = 0;
      for (const equal_nodes& e : kinds_[t].sizes) {
        const std::int64_t here = e.devices / asked.worker;
        on_one = std::max(on_one, here);
        on_all += here * e.nodes;
        nodes += here > 0 ? e.nodes : 0;
      }
      for (std::int64_t n = workers.least; n != 0 && n <= on_all; n = next_count(workers, n)) {
        column c;
        c.parts[0] = part{static_cast<type_id>(t), whole_device, static_cast<std::int32_t>(n), asked.worker};
        c.span = node_range::one();
        if (n <= on_one) out.push_back(c);
        c.span = node_range::several();
        if (n > 1 && nodes > 1) out.push_back(c);
      }
    }
  }

  // ---- the ledger ----
  /// Takes free devices, all or none.
  /// @return false  a device unknown, twice in the list, not whole, or not free
  bool reserve(std::span<const held_device> devices) { return devices.size() == 1 ? change_one(devices.front(), true) : change(devices, true); }
  /// Gives held devices back, all or none. Those that are not up stay out of service.
  /// @return false  a device unknown, twice in the list, not whole, or not held
  bool release(std::span<const held_device> devices) { return devices.size() == 1 ? change_one(devices.front(), false) : change(devices, false); }

  /// Opens a level. States must not change and nodes must not be added while one is open.
  void mark() {
    make_room(log_.entries, log_.entries.size() + 1);
    log_.entries.push_back({open_level_, 0, 0, entry::level});
    open_level_ = log_.entries.size();
  }
  /// Takes back what was reserved and released since the last open mark, and closes it.
  void undo() {
    HETSCHED_ASSERT(open_level_ != 0);
    for (; log_.entries.size() > open_level_; log_.entries.pop_back())
      if (const entry& e = log_.entries.back(); e.what != entry::level) apply(nodes_[e.node], e.word, e.bits, bits_in(e.bits), e.what == entry::gave);
    close_level();
    log_.entries.pop_back();
  }
  /// Closes the last open mark; what was done in it now belongs to the level around it.
  void keep() {
    HETSCHED_ASSERT(open_level_ != 0);
    close_level();
    if (open_level_ == 0) log_.entries.clear();
  }

  // ---- a changing cluster ----
  /// A new node of equal devices, all up. Its id is the next one. A node without devices is allowed.
  /// @throws invalid_input  devices < 0 or > 65,536, a 65th type
  node_id add_node(std::string_view type, int devices) {
    HETSCHED_ASSERT(open_level_ == 0);
    if (devices < 0 || devices > most_devices_a_node)
      throw invalid_input{"devices", std::to_string(devices) + " on one node; expected 0 to " + std::to_string(most_devices_a_node)};
    if (nodes_.size() == std::size_t{UINT32_MAX}) throw invalid_input{"node", "more nodes than ids"};
    const std::size_t size = static_cast<std::size_t>(devices);
    const std::size_t words = (size + 63) / 64;
    if (words > UINT32_MAX - words_.size()) throw invalid_input{"devices", "more than 2^38 devices"};
    const auto id = static_cast<node_id>(nodes_.size());

    make_room(nodes_, nodes_.size() + 1);
    node_row added;
    added.further = static_cast<std::uint32_t>(words_.size());
    if (size == 0) {
      nodes_.push_back(added);
      return id;
    }
    for (std::vector<std::int64_t>* amounts : {&capacity_, &free_}) make_room(*amounts, types_.size() + 1);
    make_room(kinds_, types_.size() + 1);
    make_room(words_, words_.size() + words);
    make_room(log_.entries, std::min(2 * (all_devices_ + size) + 64, undo_log::most_prepared));
    const type_id kind = types_.add(type);
    if (index(kind) == kinds_.size()) {
      capacity_.push_back(0);
      free_.push_back(0);
      kinds_.emplace_back();
    }
    group& g = group_for(kinds_[index(kind)], size, added.group);
    added.type = static_cast<std::uint8_t>(index(kind));
    added.slot = static_cast<std::uint32_t>(g.members.size());
    added.size = static_cast<std::uint32_t>(size);

    std::vector<equal_nodes>& sizes = kinds_[index(kind)].sizes;
    auto same_size = std::lower_bound(sizes.begin(), sizes.end(), devices, [](const equal_nodes& e, int d) { return e.devices < d; });
    if (same_size == sizes.end() || same_size->devices != devices) same_size = sizes.insert(same_size, equal_nodes{devices, 0});

    // From here on nothing throws.
    g.members.push_back(id);
    for (std::size_t w = 0; w < words; ++w) {
      device_word word;
      word.up = word.free = size - w * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (size - w * 64)) - 1;
      if (w == 0) added.first = word;
      else words_.push_back(word);
    }
    nodes_.push_back(added);
    all_devices_ += size;
    kinds_[index(kind)].devices += devices;
    ++same_size->nodes;
    capacity_[index(kind)] += devices;
    recount(nodes_.back(), added.size, 0);
    return id;
  }

  /// Puts a node, or one device of it, in service or out of it. Who holds it keeps it. A node and its devices have states of
  /// their own: a device is up if both are, so a broken device stays broken when its node comes up again.
  /// @throws invalid_input  an unknown node or device
  void set_state(node_id node, std::optional<int> device, node_state s) {
    HETSCHED_ASSERT(open_level_ == 0);
    if (index(node) >= nodes_.size()) throw invalid_input{"node", std::to_string(index(node)) + " of " + std::to_string(nodes_.size())};
    node_row& n = nodes_[index(node)];
    if (device && (*device < 0 || *device >= static_cast<int>(n.size)))
      throw invalid_input{"device", std::to_string(*device) + " of " + std::to_string(n.size) + " on node " + std::to_string(index(node))};
    if (device) {
      device_word& word = word_of(n, static_cast<std::uint32_t>(*device) / 64);
      const std::uint64_t bit = std::uint64_t{1} << (*device % 64);
      word.out = s == node_state::up ? word.out & ~bit : word.out | bit;
      word.drained = s == node_state::drained ? word.drained | bit : word.drained & ~bit;
    } else {
      n.whole = s;
    }
    std::uint32_t free = 0;
    for (std::uint32_t w = 0; w * 64 < n.size; ++w) {
      device_word& word = word_of(n, w);
      const std::uint64_t all = n.size - w * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (n.size - w * 64)) - 1;
      capacity_[n.type] -= std::popcount(word.up);
      word.up = n.whole == node_state::up ? all & ~word.out : 0;
      word.free = word.up & ~word.held;
      capacity_[n.type] += std::popcount(word.up);
      free += static_cast<std::uint32_t>(std::popcount(word.free));
    }
    if (n.size != 0) recount(n, free, n.held);
  }

  // ---- nodes by what is free on them (counted_nodes, idle_nodes). Nodes with nothing free are not listed. ----
  std::optional<int> at_least(type_id type, int f) const { return nearest_above(type, f, &group::by_free); }
  std::optional<int> at_most(type_id type, int f) const { return nearest_below(type, f, &group::by_free); }
  std::optional<node_id> first_with(type_id type, int f) const { return first(type, f, &group::by_free); }
  /// The first such node after `node`, which may be any node.
  std::optional<node_id> next_with(type_id type, int f, node_id node) const { return first_after(type, f, node, &group::by_free); }
  std::optional<node_id> tightest(type_id type, int f) const {
    std::size_t least = detail::count_buckets::none;
    node_id best{};
    if (index(type) < kinds_.size())
      for (const group& g : kinds_[index(type)].groups) {
        const std::size_t here = g.by_free.at_least(static_cast<std::size_t>(std::max(f, 1)));
        if (here == detail::count_buckets::none || here > least) continue;
        const node_id node = g.members[g.by_free.first(here)];
        if (here < least || node < best) best = node;
        least = here;
      }
    if (least == detail::count_buckets::none) return std::nullopt;
    return best;
  }
  std::optional<int> idle_at_most(type_id type, int f) const { return nearest_below(type, f, &group::idle); }
  std::optional<node_id> first_idle_with(type_id type, int f) const { return first(type, f, &group::idle); }
  std::optional<node_id> next_idle_with(type_id type, int f, node_id node) const { return first_after(type, f, node, &group::idle); }
  int free_on(node_id node) const { return static_cast<int>(nodes_[index(node)].free); }

  /// @param f  in [0, free_on(node)]
  void list_free(node_id node, int f, std::vector<held_device>& out) const {
    const node_row& n = nodes_[index(node)];
    HETSCHED_ASSERT(f <= static_cast<int>(n.free));
    for (std::uint32_t w = 0; f > 0; ++w)
      for (std::uint64_t left = word_of(n, w).free; left != 0 && f > 0; left &= left - 1, --f)
        out.push_back({node, static_cast<std::uint16_t>(w * 64 + static_cast<std::uint32_t>(std::countr_zero(left))), whole_device});
  }

 private:
  struct device_word {  // of 64 devices; free = up and not held
    std::uint64_t free = 0;
    std::uint64_t held = 0;
    std::uint64_t up = 0;
    std::uint64_t out = 0;      // out of service by themselves, whatever their node is
    std::uint64_t drained = 0;  // of those, without a fault
  };
  struct alignas(64) node_row {  // a node of up to 64 devices is one line of cache
    device_word first;
    std::uint32_t further = 0;  // its other words in words_
    std::uint32_t slot = 0;     // in its group
    std::uint32_t size = 0;
    std::uint32_t free = 0;
    std::uint32_t held = 0;
    std::uint8_t type = 0;
    std::uint8_t group = 0;
    node_state whole = node_state::up;
  };
  /// Nodes of one type whose sizes have the same number of bits: then the buckets take two bits a device at most.
  struct group {
    int size_bits = 0;
    std::vector<node_id> members;  // ascending
    detail::count_buckets by_free;
    detail::count_buckets idle;  // of those that nobody is on
  };
  struct equal_nodes {
    std::int32_t devices = 0;
    std::int64_t nodes = 0;
  };
  struct kind_row {
    std::int64_t devices = 0;
    std::vector<equal_nodes> sizes;  // ascending
    std::vector<group> groups;       // in order of their first node
  };
  struct entry {
    enum kind : std::uint8_t { level, took, gave };
    std::uint64_t bits;  // of a level: the one around it
    std::uint32_t node;
    std::uint16_t word;
    kind what;
  };
  /// A copy prepares as much room as its original.
  struct undo_log {
    static constexpr std::size_t most_prepared = std::size_t{1} << 20;

    std::vector<entry> entries;

    undo_log() = default;
    undo_log(const undo_log& other) {
      entries.reserve(other.entries.capacity());
      for (const entry& e : other.entries) entries.push_back(e);
    }
    undo_log(undo_log&& other) noexcept = default;
    undo_log& operator=(undo_log other) noexcept {
      entries.swap(other.entries);
      return *this;
    }
    ~undo_log() = default;
  };

  template <class Row>
  static void make_room(std::vector<Row>& rows, std::size_t n) {
    if (n > rows.capacity()) rows.reserve(std::max(n, 2 * rows.capacity()));
  }

  template <class Devices>
  void read(const Devices& devices) {
    using device = std::ranges::range_value_t<Devices>;
    using key_of = std::remove_cvref_t<decltype(device_traits<device>::node(std::declval<const device&>()))>;
    using key = std::conditional_t<std::convertible_to<key_of, std::string_view>, std::string, key_of>;
    struct seen {
      std::string kind;
      int devices = 0;
    };
    std::vector<seen> found;
    std::map<key, std::size_t> place;
    for (const auto& d : devices) {
      const std::string_view kind = device_traits<device>::kind(d);
      const auto [at, is_new] = place.try_emplace(key(device_traits<device>::node(d)), found.size());
      if (is_new) found.push_back({std::string{kind}, 0});
      seen& node = found[at->second];
      if (node.kind != kind)
        throw invalid_input{"kind", "'" + std::string{kind} + "' on a node of '" + node.kind + "'" + of_node(at->first) + "; a node has one type"};
      if (node.devices++ == most_devices_a_node) throw invalid_input{"node", "more than 65536 devices" + of_node(at->first)};
    }
    for (const seen& node : found) add_node(node.kind, node.devices);
  }

  template <class Key>
  static std::string of_node(const Key& key) {
    if constexpr (std::convertible_to<Key, std::string>) return ", node '" + std::string{key} + "'";
    else if constexpr (std::integral<Key>) return ", node " + std::to_string(key);
    else return {};
  }

  /// The count of workers after n on the ladder of a job; 0 after the last.
  std::int64_t next_count(const gang& size, std::int64_t n) const {
    if (n >= size.most) return 0;
    if (options_.counts == ladder::every) return n + 1;
    std::int64_t next = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)) * 2);
    if (n < size.wished) next = std::min<std::int64_t>(next, size.wished);
    return std::min<std::int64_t>(next, size.most);
  }

  device_word& word_of(node_row& n, unsigned word) { return word == 0 ? n.first : words_[n.further + word - 1]; }
  const device_word& word_of(const node_row& n, unsigned word) const { return word == 0 ? n.first : words_[n.further + word - 1]; }

  bool known(held_device d) const { return index(d.node) < nodes_.size() && d.device < nodes_[index(d.node)].size; }

  std::pair<const device_word*, std::uint64_t> place_of(node_id node, int device) const {
    return {&word_of(nodes_[index(node)], static_cast<unsigned>(device) / 64), std::uint64_t{1} << (device % 64)};
  }

  static group& group_for(kind_row& kind, std::size_t size, std::uint8_t& which) {
    const auto size_bits = static_cast<int>(std::bit_width(size - 1));
    auto found = std::find_if(kind.groups.begin(), kind.groups.end(), [&](const group& g) { return g.size_bits == size_bits; });
    if (found == kind.groups.end()) {
      kind.groups.emplace_back().size_bits = size_bits;
      found = kind.groups.end() - 1;
    }
    const std::size_t members = found->members.size() + 1;
    const std::size_t room = members <= found->by_free.members() ? members : std::max<std::size_t>(64, 2 * found->by_free.members());
    make_room(found->members, members);
    found->by_free.fit(room, size);
    found->idle.fit(room, size);
    which = static_cast<std::uint8_t>(found - kind.groups.begin());
    return *found;
  }

  // The most frequent change, in few steps.
  bool change_one(held_device d, bool take) {
    if (d.milli != whole_device || !known(d)) return false;
    node_row& n = nodes_[index(d.node)];
    const unsigned word = d.device / 64U;
    const std::uint64_t bit = std::uint64_t{1} << (d.device % 64);
    device_word& now = word_of(n, word);
    if (((take ? now.free : now.held) & bit) == 0) return false;
    if (open_level_ != 0)
      log_.entries.push_back({bit, static_cast<std::uint32_t>(index(d.node)), static_cast<std::uint16_t>(word), take ? entry::took : entry::gave});
    now.held ^= bit;
    const std::uint32_t placeable = (now.up & bit) != 0 ? 1 : 0;
    now.free ^= now.up & bit;
    recount(n, take ? n.free - placeable : n.free + placeable, take ? n.held + 1 : n.held - 1);
    return true;
  }

  bool change(std::span<const held_device> devices, bool take) {
    const bool logged = open_level_ != 0;
    const std::size_t logged_before = log_.entries.size();
    if (logged) make_room(log_.entries, logged_before + devices.size());
    for (std::size_t i = 0; i < devices.size();) {
      const node_id node = devices[i].node;
      const unsigned word = devices[i].device / 64U;
      std::size_t end = i;
      std::uint64_t bits = 0;
      std::uint64_t twice = 0;
      unsigned shares = 0;
      for (; end < devices.size() && devices[end].node == node && devices[end].device / 64U == word; ++end) {
        const std::uint64_t bit = std::uint64_t{1} << (devices[end].device % 64);
        twice |= bits & bit;
        bits |= bit;
        shares |= devices[end].milli ^ unsigned{whole_device};
      }
      bool possible = twice == 0 && shares == 0 && index(node) < nodes_.size() && word * 64 < nodes_[index(node)].size;
      if (possible) {  // devices that the node has not are neither free nor held
        const device_word& now = word_of(nodes_[index(node)], word);
        possible = ((take ? now.free : now.held) & bits) == bits;
      }
      if (!possible) {
        for (const held_device d : devices.first(i)) apply(nodes_[index(d.node)], d.device / 64U, std::uint64_t{1} << (d.device % 64), 1, !take);
        log_.entries.resize(logged_before, {});
        return false;
      }
      apply(nodes_[index(node)], word, bits, static_cast<std::uint32_t>(end - i), take);
      if (logged)
        log_.entries.push_back({bits, static_cast<std::uint32_t>(index(node)), static_cast<std::uint16_t>(word), take ? entry::took : entry::gave});
      i = end;
    }
    return true;
  }

  static std::uint32_t bits_in(std::uint64_t word) { return static_cast<std::uint32_t>(std::popcount(word)); }

  /// Moves so many devices of one word into somebody's hands or out of them.
  void apply(node_row& n, unsigned word, std::uint64_t bits, std::uint32_t count, bool take) {
    device_word& now = word_of(n, word);
    const std::uint32_t placeable = (bits & ~now.up) == 0 ? count : bits_in(bits & now.up);  // to count is a call on the oldest processors
    if (take) {
      now.held |= bits;
      now.free &= ~bits;
      recount(n, n.free - placeable, n.held + count);
    } else {
      now.held &= ~bits;
      now.free |= bits & now.up;
      recount(n, n.free + placeable, n.held - count);
    }
  }

  /// The node's counts become these, and it moves to the buckets that they name.
  void recount(node_row& n, std::uint32_t free, std::uint32_t held) {
    group& g = kinds_[n.type].groups[n.group];
    const std::uint32_t idle_before = n.held == 0 ? n.free : 0;
    const std::uint32_t idle_now = held == 0 ? free : 0;
    if (n.free != free) {
      g.by_free.change(n.free, free, n.slot);
      free_[n.type] += std::int64_t{free} - std::int64_t{n.free};
    }
    if (idle_before != idle_now) g.idle.change(idle_before, idle_now, n.slot);
    n.free = free;
    n.held = held;
  }

  /// Before the last open level's entry: it becomes an entry like any other.
  void close_level() { open_level_ = static_cast<std::size_t>(log_.entries[open_level_ - 1].bits); }

  std::optional<int> nearest_above(type_id type, int f, detail::count_buckets group::*sets) const {
    std::size_t best = detail::count_buckets::none;
    if (index(type) < kinds_.size())
      for (const group& g : kinds_[index(type)].groups) best = std::min(best, (g.*sets).at_least(static_cast<std::size_t>(std::max(f, 1))));
    if (best == detail::count_buckets::none) return std::nullopt;
    return static_cast<int>(best);
  }

  std::optional<int> nearest_below(type_id type, int f, detail::count_buckets group::*sets) const {
    std::size_t best = 0;
    if (index(type) < kinds_.size() && f > 0)
      for (const group& g : kinds_[index(type)].groups)
        if (const std::size_t here = (g.*sets).at_most(static_cast<std::size_t>(f)); here != detail::count_buckets::none) best = std::max(best, here);
    if (best == 0) return std::nullopt;
    return static_cast<int>(best);
  }

  std::optional<node_id> first(type_id type, int f, detail::count_buckets group::*sets) const {
    std::optional<node_id> best;
    if (index(type) >= kinds_.size() || f < 1) return best;
    for (const group& g : kinds_[index(type)].groups) {
      const std::size_t slot = (g.*sets).first(static_cast<std::size_t>(f));
      if (slot != detail::count_buckets::none && (!best || g.members[slot] < *best)) best = g.members[slot];
    }
    return best;
  }

  std::optional<node_id> first_after(type_id type, int f, node_id after, detail::count_buckets group::*sets) const {
    std::optional<node_id> best;
    if (index(type) >= kinds_.size() || f < 1) return best;
    const kind_row& kind = kinds_[index(type)];
    for (std::size_t i = 0; i < kind.groups.size(); ++i) {
      const group& g = kind.groups[i];
      const node_row& n = nodes_[index(after)];
      std::size_t from = n.slot + std::size_t{1};
      if (n.size == 0 || n.type != index(type) || n.group != i)
        from = static_cast<std::size_t>(std::upper_bound(g.members.begin(), g.members.end(), after) - g.members.begin());
      const std::size_t slot = (g.*sets).first(static_cast<std::size_t>(f), from);
      if (slot != detail::count_buckets::none && (!best || g.members[slot] < *best)) best = g.members[slot];
    }
    return best;
  }

  Options options_;
  device_types types_;
  std::vector<std::int64_t> capacity_;  // by type
  std::vector<std::int64_t> free_;      // by type
  std::vector<kind_row> kinds_;         // by type
  std::vector<node_row> nodes_;
  std::vector<device_word> words_;  // of devices 64 and up of their nodes
  std::size_t all_devices_ = 0;
  undo_log log_;
  std::size_t open_level_ = 0;  // one past the entry of the innermost open mark; 0 where none is open
};

using typed_nodes = basic_typed_nodes<node_options>;

}  // namespace hetsched
