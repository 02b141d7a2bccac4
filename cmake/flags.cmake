# What every target of the project is compiled with; nothing of it reaches a user's target.
add_library(foliot_flags INTERFACE)
target_compile_options(foliot_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wvla -Wno-missing-field-initializers -fno-math-errno -ffp-contract=off)
target_compile_definitions(foliot_flags INTERFACE _GNU_SOURCE)
if(FOLIOT_WERROR)
  target_compile_options(foliot_flags INTERFACE -Werror)
endif()
if(FOLIOT_SANITIZE)
  target_compile_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE})
endif()
