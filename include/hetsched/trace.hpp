#pragma once

/// Readers of workloads, clusters, throughputs and faults.

#include <hetsched/trace/cluster.hpp>
#include <hetsched/trace/faults.hpp>
#include <hetsched/trace/read_jobs.hpp>
#include <hetsched/trace/throughputs.hpp>
