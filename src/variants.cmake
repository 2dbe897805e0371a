# The core, and the rivals, once more for newer processors, inside the same library;
# core/api/choose_core.cc picks one at run time.
#
# Two compilations of one inline function, say of Eigen's, have one name, and the linker keeps
# whichever it meets first: an AVX2 copy of it would then run everywhere. So each compilation is
# linked into one object in which every name is local but that of its table of entry points.

# splitgp_add_variant(<core|rivals> <name> <march>): sets <core|rivals>_<name>_object. The rivals' has
# the core for that set inside too; for them call it second.
function(splitgp_add_variant part name march)
  file(GLOB variant_sources CONFIGURE_DEPENDS ${part}/*.cc ${part}/*/*.cc)
  # What these rooms of the core hold is the same for every instruction set, and compiled once.
  list(FILTER variant_sources EXCLUDE REGEX "/core/(base|options|api)/")
  list(FILTER variant_sources EXCLUDE REGEX "/rivals/(choose_rivals|regressor|rivals)\\.cc$")
  set(target splitgp_${part}_${name})
  add_library(${target} OBJECT ${variant_sources})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
                             ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE SPLITGP_INSTRUCTION_SET=${name})
  target_link_libraries(${target} PRIVATE Eigen3::Eigen splitgp_flags splitgp_own_eigen)
  target_compile_options(${target} PRIVATE -march=${march}
    -fno-gnu-unique # unique symbols could not be made local
    # GCC 12 finds this in its own avx512fintrin.h, and in Eigen; the other compilations, those with
    # the sanitizers among them, keep the warning.
    -Wno-maybe-uninitialized -Wno-uninitialized)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)

  set(objects $<TARGET_OBJECTS:${target}>)
  if(part STREQUAL "rivals")
    list(APPEND objects $<TARGET_OBJECTS:splitgp_core_${name}>)
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${output} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${target} ${output}
    DEPENDS ${target} ${objects}
    COMMENT "Joining the ${part} for ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${output} PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
  set(${part}_${name}_object ${output} PARENT_SCOPE)
endfunction()
