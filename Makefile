# The door to the project; CMake does the work (CMakePresets.json has the kinds of builds).
PREFIX ?= /usr/local
DESTDIR ?=
# What installs missing packages; `make SETUP=: ...` leaves the machine as it is.
SETUP ?= tools/setup

MAKEFLAGS += --no-print-directory
.PHONY: build run studio site test bench soak coverage wasm install format clean help

build: ## the program build/foliot and the libraries (default)
	@$(SETUP) build
	@tools/build release product

run: ## simulate a double pendulum and plot it
	@$(SETUP) run
	@tools/build release foliot_cli
	build/foliot run double-pendulum --plot --output double-pendulum.csv

studio: ## the studio in the browser, with the models of this folder
	@$(SETUP) build
	@$(SETUP) studio
	@tools/build release product
	build/foliot studio

site: ## the studio as static files for any web server, in build/site/
	@$(SETUP) studio
	@$(SETUP) web
	@tools/wasm
	@tools/site

test: ## every check: the suite, sanitizers, other machines, layout, layers, installation
	@$(SETUP) test
	@tools/test

bench: ## measure; results go to bench/results/
	@$(SETUP) build
	@$(SETUP) bench
	@tools/build release bench
	@tools/bench

soak: ## the long runs: every fault, every fuzzer for an hour (FUZZ=seconds)
	@$(SETUP) test
	@tools/build check all soak_tests
	@tools/soak

coverage: ## which lines of what reads bytes are reached by tests and fuzzers; at least 95 %
	@$(SETUP) test
	@tools/coverage

wasm: ## the engine as WebAssembly: build/web/foliot.wasm
	@$(SETUP) web
	@tools/wasm

install: build ## into PREFIX (/usr/local), staged under DESTDIR
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig 2>/dev/null || true; fi

format: ## lay out the C files
	@$(SETUP) test
	@tools/format

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' Makefile
