# The two commands of the README, and what developers use. Everything a target needs is installed
# by tools/bootstrap (Debian and Ubuntu packages by name, Python packages into a directory outside
# the build folder); a second run installs nothing.

.PHONY: help serve build test unit e2e conformance gpu-test gpu-bench gpu-clock sanitizers fuzz lint bench chaos dist clean

help:                ## Show this list
	@grep -E '^[a-z0-9-]+: .*##|^[a-z0-9-]+:  +##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

serve: build         ## Install what is needed, build, and serve on 127.0.0.1:8000
	@tools/bootstrap python
	@echo "==> serving; stop with Ctrl-C"
	@exec build/assay serve $(ARGS)

build:               ## Build the release binary: build/assay
	@tools/bootstrap build
	@echo "==> building build/assay"
	@cmake --preset release -DASSAY_BUILD_TESTS=OFF -DASSAY_BUILD_BENCHMARKS=OFF > /dev/null
	@cmake --build --preset release --target assay
	@strip -o build/assay.new build/release/apps/assay/assay && mv build/assay.new build/assay

test: build          ## Run every test that needs no GPU
	@tools/bootstrap tools
	@tools/run-tests all

unit: build          ## Run the unit tests alone (address and undefined-behaviour sanitizers on)
	@tools/bootstrap test
	@tools/run-tests unit

e2e: build           ## Run the end-to-end tests alone
	@tools/bootstrap test
	@tools/run-tests e2e

conformance: build   ## Run the CUDA conformance suite on the cpu device
	@tools/bootstrap test
	@tools/run-tests simt

gpu-test:            ## Run every test that needs a GPU, with the binary there is or a new one
	@test -x build/assay || $(MAKE) build
	@python3 tools/gpu_test.py
	@if command -v nvcc > /dev/null; then python3 tools/gpu_conformance.py; fi

gpu-bench:           ## Measure evaluations on a GPU beside a plain script, side by side
	@test -x build/assay || $(MAKE) build
	@python3 bench/gpu/gpu_bench.py

gpu-clock:           ## Measure how true times on a GPU are: kernels against themselves, slowdowns, attacks
	@test -x build/assay || $(MAKE) build
	@python3 bench/gpu/clock_proof.py

sanitizers: build    ## Run the threaded modules' tests under the thread sanitizer
	@tools/bootstrap test
	@tools/run-tests tsan

fuzz: build          ## Run every fuzzer briefly
	@tools/bootstrap test
	@tools/run-tests fuzz

lint:                ## clang-format, clang-tidy, mypy, layers, documents
	@tools/bootstrap lint
	@tools/lint

bench: build         ## Run the benchmarks: ratios against baselines run side by side
	@tools/bootstrap test
	@tools/run-bench

chaos: build         ## Break things under a busy server and see what holds; ARGS="--minutes 20" for longer
	@tools/bootstrap test
	@python3 bench/chaos/run.py $(ARGS)

dist: build          ## Pack a release in build/dist: tarball, .deb, wheel of the client, checksums
	@tools/bootstrap test
	@tools/dist

clean:               ## Remove the build folder
	rm -rf build
