// The main function of every test program. One test case or a few: -tc="*words of its name*"; all flags: --help.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
