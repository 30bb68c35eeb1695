/// Feeds a loss log to a forecaster line by line and shows how the interval closes.
///   watch_loss [FILE]      FILE: step,loss with a header line; default: standard input

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include <hetsched/predict/convergence/forecaster.hpp>

int main(int argc, char** argv) {
  std::ifstream file;
  if (argc > 1) file.open(argv[1]);
  std::istream& log = argc > 1 ? file : std::cin;
  if (!log) {
    std::fprintf(stderr, "watch_loss: %s: cannot be opened, expected a file with step,loss\n", argv[1]);
    return 2;
  }

  namespace convergence = hetsched::convergence;
  convergence::forecaster forecaster;
  const auto converged = convergence::criterion::by_decrement(0.01, 200);  // less than 1 % in 200 steps
  std::printf("%8s %10s | %s\n", "step", "loss", "converged by step (10 %, 50 %, 90 %)");

  std::string line;
  std::getline(log, line);  // the header
  std::size_t lines = 0, next = 8;
  while (std::getline(log, line)) {
    double step = 0, loss = 0;
    if (std::sscanf(line.c_str(), "%lf,%lf", &step, &loss) != 2 || !forecaster.add(step, loss)) {
      std::printf("         skipped: %s\n", line.c_str());
      continue;
    }
    if (++lines < next) continue;
    next += next / 2;
    const hetsched::quantiles steps = forecaster.now().converged_at(converged);
    std::printf("%8.0f %10.4f |", step, loss);
    for (const double p : {0.1, 0.5, 0.9}) std::isfinite(steps.at(p)) ? std::printf(" %8.0f", steps.at(p)) : std::printf(" %8s", "never");
    std::printf("   confidence %.2f\n", convergence::confidence(steps));
  }
  for (const convergence::regime_change& c : forecaster.changes())
    std::printf("a new regime (%s) at step %.0f\n", std::string{convergence::name(c.kind)}.c_str(), c.step);
}
