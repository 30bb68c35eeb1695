// Writes a small heterogeneous cluster and a stream of training jobs for it: nodes.csv, jobs.csv, throughputs.csv.
// The files in examples/data are what this program writes with its defaults; where each number comes from is in
// examples/data/README.md.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

constexpr std::size_t sizes = 4;  // 1, 2, 4, 8 devices
constexpr std::array<int, sizes> gang_of = {1, 2, 4, 8};

struct device_type {
  std::string_view name;
  int nodes, gpus, cpus, memory_gb, gpu_memory_gb;
};

// The first is the reference: durations are drawn as run time on it.
constexpr std::array<device_type, 3> types = {{
    {"v100", 3, 8, 96, 768, 16},
    {"rtx6000ada", 4, 4, 64, 512, 48},
    {"a100", 2, 8, 128, 2048, 80},
}};

struct model {
  std::string_view name;
  std::string_view unit;
  double batch;                                                     // units a step, over all devices
  double parameters;                                                // millions
  std::array<std::array<double, sizes>, types.size()> units_per_s;  // by type and size, measured inside one node
};

constexpr std::array<model, 5> models = {{
    {"resnet50", "images", 256, 25.6, {{{833, 1571, 3107, 6174}, {1146, 2301, 4548, 9211}, {1582, 3038, 6070, 11439}}}},
    {"bert_base", "sequences", 192, 110, {{{189, 340, 637, 1204}, {255, 506, 1072, 2146}, {443, 815, 1654, 4273}}}},
    {"bert_large", "sequences", 64, 340, {{{57, 87, 157, 286}, {79, 153, 332, 642}, {152, 246, 488, 746}}}},
    {"transformer_xl", "tokens", 49152, 257, {{{6071, 12088, 24082, 47885}, {16049, 31892, 68160, 131953}, {17918, 35709, 71097, 142409}}}},
    {"waveglow", "samples", 512000, 87.9, {{{47253, 82358, 165996, 322112}, {156904, 268158, 366195, 1109688}, {244438, 401392, 847717, 1403727}}}},
}};

constexpr double network_bytes_per_s = 12.5e9;  // 100 Gb/s a node and direction
constexpr double gradient_bytes = 2;            // a parameter, mixed precision

/// Steps a second inside one node. Measured rates above linear scaling are an artefact of larger batches: cut to linear.
double consolidated_rate(const model& m, std::size_t type, std::size_t size) {
  const auto& measured = m.units_per_s[type];
  return std::min(measured[size], gang_of[size] * measured[0]) / m.batch;
}

/// The same over several nodes: each step also waits for one ring all-reduce of the gradients over the network.
double spread_rate(const model& m, std::size_t type, std::size_t size) {
  const double devices = gang_of[size];
  const double sent = 2 * (devices - 1) / devices * gradient_bytes * m.parameters * 1e6;
  return 1 / (1 / consolidated_rate(m, type, size) + sent / network_bytes_per_s);
}

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014), and inverse transforms of it.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_{seed} {}

  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }  // [0, 1)
  double uniform(double from, double to) { return from + (to - from) * uniform(); }
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

struct drawn_job {
  std::size_t model, size;
  double duration_s;  // on the reference type, in one node
};

/// Gangs and durations as Gavel's continuous traces draw them, after Philly.
drawn_job draw(random_source& random) {
  drawn_job job{};
  job.model = std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(models.size())), models.size() - 1);
  const double gang = random.uniform();
  job.size = gang < 0.70 ? 0 : gang < 0.80 ? 1 : gang < 0.95 ? 2 : 3;
  const bool is_short = random.uniform() < 0.8;
  job.duration_s = 60 * std::pow(10.0, is_short ? random.uniform(1.5, 3) : random.uniform(3, 4));
  return job;
}

/// Devices of the cluster, each counted by its speed against the reference, the mean over models.
double reference_devices() {
  double sum = 0;
  for (std::size_t t = 0; t < types.size(); ++t) {
    double speed = 0;
    for (const model& m : models) speed += m.units_per_s[t][0] / m.units_per_s[0][0];
    sum += types[t].nodes * types[t].gpus * speed / static_cast<double>(models.size());
  }
  return sum;
}

std::string digits(double value, int significant) {
  std::array<char, 64> out{};
  const auto end = std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::general, significant).ptr;
  return {out.data(), end};
}

std::string nodes_csv() {
  std::string out = "node,count,gpu_type,gpus,cpus,memory_gb,gpu_memory_gb\n";
  for (const device_type& t : types) {
    out += std::string{t.name} + "-node," + std::to_string(t.nodes) + "," + std::string{t.name} + "," + std::to_string(t.gpus) + "," +
           std::to_string(t.cpus) + "," + std::to_string(t.memory_gb) + "," + std::to_string(t.gpu_memory_gb) + "\n";
  }
  return out;
}

std::string throughputs_csv() {
  std::string out = "gpu_type,consolidated,model,batch_size,gpus,steps_per_s\n";
  for (std::size_t t = 0; t < types.size(); ++t) {
    for (const model& m : models) {
      for (const bool consolidated : {true, false}) {
        for (std::size_t s = consolidated ? 0 : 1; s < sizes; ++s) {
          const double rate = consolidated ? consolidated_rate(m, t, s) : spread_rate(m, t, s);
          out += std::string{types[t].name} + (consolidated ? ",1," : ",0,") + std::string{m.name} + "," + digits(m.batch, 9) + "," +
                 std::to_string(gang_of[s]) + "," + digits(rate, 6) + "\n";
        }
      }
    }
  }
  return out;
}

std::string jobs_csv(std::uint64_t seed, int count, double load) {
  random_source random{seed};
  std::vector<drawn_job> jobs;
  double work = 0;  // device-seconds on the reference type
  for (int i = 0; i < count; ++i) {
    jobs.push_back(draw(random));
    work += jobs.back().duration_s * gang_of[jobs.back().size];
  }
  const double mean_gap = work / count / (reference_devices() * load);
  std::string out = "job_id,submit_s,gpus,model,batch_size,total_steps\n";
  double now = 0;
  for (int i = 0; i < count; ++i) {
    const drawn_job& job = jobs[static_cast<std::size_t>(i)];
    const model& m = models[job.model];
    const double steps = std::max(1.0, std::round(job.duration_s * consolidated_rate(m, 0, job.size)));
    out += std::to_string(i) + "," + std::to_string(std::llround(now)) + "," + std::to_string(gang_of[job.size]) + "," + std::string{m.name} + "," +
           digits(m.batch, 9) + "," + std::to_string(std::llround(steps)) + "\n";
    now += random.exponential(mean_gap);
  }
  return out;
}

/// All files or none: each is written beside its target, and only then are they renamed.
void write_all(const std::filesystem::path& folder, const std::vector<std::pair<std::string, std::string>>& files) {
  std::filesystem::create_directories(folder);
  std::vector<std::filesystem::path> written;
  try {
    for (const auto& [name, text] : files) {
      written.push_back(folder / (name + ".part"));
      std::ofstream file{written.back(), std::ios::binary};
      file << text;
      file.close();
      if (!file) throw std::runtime_error{written.back().string() + ": cannot be written"};
    }
    for (const auto& [name, text] : files) std::filesystem::rename(folder / (name + ".part"), folder / name);
  } catch (...) {
    std::error_code ignored;
    for (const auto& path : written) std::filesystem::remove(path, ignored);
    throw;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = ".";
  std::uint64_t seed = 1;
  int count = 400;
  double load = 1;
  CLI::App app{
      "Writes nodes.csv, jobs.csv and throughputs.csv of a heterogeneous cluster (24 v100, 16 rtx6000ada, 16 a100): Poisson arrivals, gangs of\n"
      "1, 2, 4, 8 (70, 10, 15, 5 %), durations of 10^U(1.5,3) minutes (80 %) or 10^U(3,4) minutes (20 %) on a v100. Times are seconds.\n"
      "Example: generate --seed 1 --jobs 400 --out data"};
  app.add_option("--out", folder, "folder to write to, made if need be")->capture_default_str();
  app.add_option("--seed", seed, "same seed, same bytes")->capture_default_str();
  app.add_option("--jobs", count, "number of jobs")->capture_default_str()->check(CLI::Range(1, 10'000'000));
  app.add_option("--load", load, "work that arrives over what the cluster can do, a device counted by its mean speed")
      ->capture_default_str()
      ->check(CLI::Range(1e-6, 1e6));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "generate: " << error.what() << '\n';
    return 2;
  }
  if (!std::isfinite(load)) {  // a NaN passes every range check
    std::cerr << "generate: --load: found " << load << ", expected a finite number\n";
    return 2;
  }
  try {
    write_all(folder, {{"nodes.csv", nodes_csv()}, {"jobs.csv", jobs_csv(seed, count, load)}, {"throughputs.csv", throughputs_csv()}});
  } catch (const std::exception& error) {
    std::cerr << "generate: " << error.what() << '\n';
    return 2;
  }
}
