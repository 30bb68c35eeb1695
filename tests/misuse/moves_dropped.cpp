// expect: (nodiscard|unused).*\[-Werror
#pragma GCC diagnostic error "-Wunused-result"
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/objective/fifo.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

struct job {
  int id = 1;
};

int main() {
  auto s = hetsched::make_scheduler<job>(hetsched::typed_nodes{}, hetsched::declared_speed{},
                                         hetsched::ordered_greedy{hetsched::fifo{}} | hetsched::consolidate{}, hetsched::on_event{});
  s.step(hetsched::seconds{0});  // whoever asks must listen
}
