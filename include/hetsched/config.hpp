#pragma once

/// The one switch of the library.
///
/// HETSCHED_ASSERT(condition) guards what a *caller of a policy* promised (never what a user's data holds: that is
/// checked always and refused with `invalid_input`). Define it before the first include to route it elsewhere.

#ifndef HETSCHED_ASSERT
#include <cassert>
#define HETSCHED_ASSERT(condition) assert(condition)
#endif
