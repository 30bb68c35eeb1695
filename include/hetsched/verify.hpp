#pragma once

/// The checker of moves: of a simulation, around one's own scheduler, or fed by an engine.

#include <hetsched/verify/checked.hpp>
#include <hetsched/verify/checker.hpp>
#include <hetsched/verify/device_ledger.hpp>
#include <hetsched/verify/law.hpp>
#include <hetsched/verify/move_checker.hpp>
