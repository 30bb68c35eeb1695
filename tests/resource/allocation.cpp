// Which calls ask for memory: this program counts them.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <hetsched/resource/typed_nodes.hpp>

namespace {
long allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, whole == 0 ? alignment : whole)) return p;
  throw std::bad_alloc{};
}
}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return counted(bytes, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {  // std::stable_sort's
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("the ledger asks for no memory once its nodes are there, and neither does a copy of it") {
  using namespace hetsched;
  typed_nodes nodes;
  for (int n = 0; n < 100; ++n) nodes.add_node(n % 2 == 0 ? "a" : "b", n % 3 == 0 ? 100 : 8);
  std::vector<held_device> all, out;
  for (std::size_t n = 0; n < nodes.nodes(); ++n)
    for (int d = 0; d < nodes.devices_on(static_cast<node_id>(n)); ++d) all.push_back({static_cast<node_id>(n), static_cast<std::uint16_t>(d)});
  out.reserve(100);
  typed_nodes copy = nodes;
  typed_nodes assigned;
  assigned = copy;
  for (typed_nodes* ledger : {&nodes, &copy, &assigned}) {
    const long before = allocations;
    bool done = true;
    for (int round = 0; round < 10; ++round) {
      ledger->mark();
      for (const held_device& d : all) done = ledger->reserve({&d, 1}) && done;
      ledger->mark();
      done = ledger->release(all) && done;
      ledger->undo();
      done = !ledger->reserve(all) && done;
      ledger->keep();
      done = ledger->release(all) && done;
      out.clear();
      ledger->list_free(node_id{3}, 100, out);
      ledger->set_state(node_id{3}, std::nullopt, node_state::down);
      ledger->set_state(node_id{3}, std::nullopt, node_state::up);
    }
    const long after = allocations;
    CHECK(done);
    CHECK(after == before);
  }
}
