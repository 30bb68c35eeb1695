#pragma once

/// A scheduler in a simulated world: events, faults, what became of each job, and bounds on what could have been.

#include <hetsched/simulate/bounds.hpp>
#include <hetsched/simulate/logs.hpp>
#include <hetsched/simulate/metrics.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
