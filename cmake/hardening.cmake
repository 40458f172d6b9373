# The hardening of Debian's packages, for all of our code in every build: position-independent
# programs, read-only relocations bound at the start, stack protector, stack clash protection,
# control-flow protection and checked string functions. tests/install/hardening.sh checks the
# binaries.
include(CheckCCompilerFlag)
include(CheckPIESupported)

check_pie_supported(LANGUAGES C)

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  string(MAKE_C_IDENTIFIER "GCSPY_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(gcspy-flags INTERFACE ${flag})
  endif()
endforeach()

# _FORTIFY_SOURCE needs an optimising compiler, and would hide calls from the sanitizers. A
# distribution's compiler may already define it, with another level.
if(NOT GCSPY_SANITIZE AND NOT GCSPY_FUZZ)
  target_compile_options(gcspy-flags INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
endif()

target_link_options(gcspy-flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
