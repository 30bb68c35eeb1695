// expect: hetsched: a job needs an id: give the type a member `id`
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/objective/fifo.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

struct nameless {
  int gpus = 1;
};

int main() {
  auto s = hetsched::make_scheduler<nameless>(hetsched::typed_nodes{}, hetsched::declared_speed{},
                                              hetsched::ordered_greedy{hetsched::fifo{}} | hetsched::consolidate{}, hetsched::on_event{});
  s.submit({2}, hetsched::seconds{0});
}
