# `make install`: headers, library, program, pkg-config and CMake package files.
