// What a stranger's first program needs: the umbrella, and the libraries that come with it.
#if __has_include(<hetsched/hetsched.hpp>)
#include <hetsched/hetsched.hpp>
#endif

#include <Eigen/Core>
#include <boost/version.hpp>
#include <cstdio>
#include <hetsched/version.hpp>
#include <string>

int main() {
  const Eigen::Vector2d halves{0.5, 0.5};
  std::printf("hetsched %s, boost %d\n", std::string{hetsched::version}.c_str(), BOOST_VERSION);
  return halves.sum() == 1.0 ? 0 : 1;
}
