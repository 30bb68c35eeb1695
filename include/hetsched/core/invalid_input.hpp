#pragma once

#include <hetsched/optimize/invalid_input.hpp>
