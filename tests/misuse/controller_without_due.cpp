// expect: c\.due\(now, changed\)
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/objective/fifo.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

struct job {
  int id = 1;
};
struct never {
  std::optional<hetsched::seconds> next_wakeup(hetsched::seconds) const { return std::nullopt; }
};

int main() {
  auto s = hetsched::make_scheduler<job>(hetsched::typed_nodes{}, hetsched::declared_speed{},
                                         hetsched::ordered_greedy{hetsched::fifo{}} | hetsched::consolidate{}, never{});
  (void)s.next_wakeup();
}
