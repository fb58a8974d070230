# Short files spend their time in headers: a package compiles several together. tools/dev turns this
# off, so that each file compiles alone and a change rebuilds little.
option(RUSHLIGHT_UNITY "Compile short sources together" ON)

# group_sources(target size source...): compiles every `size` of these sources of a folder as one.
# A file that brings names of another namespace into its own (`using pickle::Node;`) stays alone.
function(group_sources target size)
  set(count 0)
  foreach(source ${ARGN})
    if(EXISTS ${source})
      file(STRINGS ${source} brought REGEX "^using [a-z_]+::")
      if(brought)
        continue()
      endif()
    endif()
    math(EXPR group "${count} / ${size}")
    math(EXPR count "${count} + 1")
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
