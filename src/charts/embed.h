#pragma once

#include <string_view>

#ifdef __APPLE__
#define SPLITGP_READ_ONLY ".section __TEXT,__const\n"
#define SPLITGP_READ_ONLY_END ".text\n"
#define SPLITGP_SYMBOL "_splitgp_embedded_"
#else
#define SPLITGP_READ_ONLY ".section .rodata\n"
#define SPLITGP_READ_ONLY_END ".previous\n"
#define SPLITGP_SYMBOL "splitgp_embedded_"
#endif

/// Embeds a file of the folder SPLITGP_PARTS, which cmake/charts.cmake sets, and defines a function
/// `name()` that answers with its bytes. Names are unique in the whole program. The assembler
/// copies the bytes as they are, at once; a generated array of 1.5 MB would take the compiler half
/// a minute.
// clang-format off
#define SPLITGP_EMBED(name, file)                                                              \
  __asm__(SPLITGP_READ_ONLY                                                                    \
          ".globl " SPLITGP_SYMBOL #name "\n"                                                  \
          ".globl " SPLITGP_SYMBOL #name "_end\n"                                              \
          SPLITGP_SYMBOL #name ":\n"                                                           \
          ".incbin \"" SPLITGP_PARTS "/" file "\"\n"                                           \
          SPLITGP_SYMBOL #name "_end:\n"                                                       \
          ".byte 0\n"                                                                          \
          SPLITGP_READ_ONLY_END);                                                              \
  extern "C" const char splitgp_embedded_##name[];                                             \
  extern "C" const char splitgp_embedded_##name##_end[];                                       \
  namespace {                                                                                  \
  std::string_view name() { return {splitgp_embedded_##name, splitgp_embedded_##name##_end}; } \
  }
// clang-format on
