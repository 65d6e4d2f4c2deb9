# Dependencies to install, and the commands of daily work. `make help` lists them.

SWIFT ?= swift
PREFIX ?= /usr/local
BUILD ?= .build

APT_PACKAGES := libsqlite3-dev
APT_TEST_PACKAGES := $(APT_PACKAGES) sqlite3 flatbuffers-compiler libedit2
APT_ETCD_PACKAGES := etcd-server etcd-client openssl
APT_BENCH_PACKAGES := $(APT_PACKAGES) liblmdb-dev librocksdb-dev pkg-config
APT_WEB_PACKAGES := chromium chromium-driver fonts-dejavu-core

.PHONY: help deps deps-test deps-bench deps-etcd deps-web build release test test-integrations test-web test-etcd docs test-tsan tsan-model build-etcd-tests build-tsan-model lint format demo demo-cluster session readme examples bench bench-quick bench-stores bench-load bench-replication count count-check fuzz torture mutants install dist clean

help: ## List the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

deps: ## Install the dependencies of the build (libsqlite3-dev, on Debian and Ubuntu)
	@scripts/install-deps.sh $(APT_PACKAGES)

deps-test: ## Install the dependencies of the build and the tests
	@scripts/install-deps.sh $(APT_TEST_PACKAGES)
	@scripts/install-python-packages.sh

deps-etcd: deps ## Install what test-etcd needs (etcd, on Debian and Ubuntu)
	@scripts/install-deps.sh $(APT_ETCD_PACKAGES)

deps-bench: ## Install what the benchmarks compare with (LMDB and RocksDB, on Debian and Ubuntu)
	@scripts/install-deps.sh $(APT_BENCH_PACKAGES)

deps-web: deps ## Install what test-web needs (Chromium, on Debian and Ubuntu)
	@scripts/install-deps.sh $(APT_WEB_PACKAGES)

build: deps ## Build for debugging
	$(SWIFT) build

# The optimized build, which the counted benchmarks share: their package depends on this one. Without the caching, SwiftPM
# could take the plan of one package for that of the other.
RELEASE := -c release --scratch-path .build-release --disable-build-manifest-caching
# kvtool starts in less than half the time without the dynamic loader's work for Swift's libraries.
ifeq ($(shell uname),Linux)
RELEASE += --static-swift-stdlib
endif

# The traits of the tools that are installed, with commas between them. Benchmarks/Package.swift has the same ones, or each
# of the two builds would compile all modules again.
TRAITS := Sealing,Web

release: deps ## Build kvtool and dflatc for use
	$(SWIFT) build $(RELEASE) --traits $(TRAITS) --product kvtool
	$(SWIFT) build $(RELEASE) --traits $(TRAITS) --product dflatc

test: deps-test ## Run all tests
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build

# A package of its own, so that the other tests don't fetch and build what the traits need. One test at a time, because
# each starts up to three members, whose elections would time out. TESTS='A|B' runs only the tests whose names match.
ETCD_TESTS := --package-path Tests/EtcdTests

build-etcd-tests: deps-etcd deps-web
	$(SWIFT) build --build-tests $(ETCD_TESTS)

test-etcd: build-etcd-tests ## Run the tests of DflatEtcd, of replicas and of kvtool against clusters of etcd on this computer, and those below
	$(SWIFT) test --skip-build $(ETCD_TESTS) --no-parallel $(if $(TESTS),--filter '$(TESTS)')
	@$(CHECK_SERVER)

# The tests' package also builds Examples/Server, because most of what that needs is built for the tests.
CHECK_SERVER = scripts/install-deps.sh curl && scripts/check-server.sh "$$($(SWIFT) build $(ETCD_TESTS) --show-bin-path)"

test-integrations: deps ## Run the tests of the products for other libraries, and the session of Examples/Server
	$(SWIFT) build --build-tests $(ETCD_TESTS)
	$(SWIFT) test --skip-build $(ETCD_TESTS) --filter 'IntegrationTests|SealingTests'
	@$(CHECK_SERVER)

docs: deps ## Build the documentation of all modules, with its tutorials, into .build-docs; a warning is an error
	@scripts/build-docs.sh Tests/EtcdTests .build-docs/DflatKV.doccarchive

test-web: deps-web ## Run the tests of kvtool web, in headless Chromium, too; PICTURE=1 draws the README's picture of it
	$(SWIFT) build --build-tests $(ETCD_TESTS)
	DFLATKV_UPDATE_PICTURE=$(PICTURE) $(SWIFT) test --skip-build $(ETCD_TESTS) --filter WebTests

# TSAN_TESTS='A|B' runs only the tests whose names match. Left out are the tests that fork, which the sanitizer's runtime
# doesn't survive in a process with threads, and those of crash images, which are long and run on one thread. The tests run
# one after the other, or those with a time limit would exceed it.
test-tsan: deps-test ## Run the tests, and then tsan-model, with the thread sanitizer
	DFLATKV_TSAN=1 $(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan
	DFLATKV_TSAN=1 TSAN_OPTIONS=$(TSAN_OPTIONS) $(SWIFT) test --skip-build --sanitize=thread --scratch-path .build-tsan \
	  --no-parallel --skip 'ForkTests|TortureTests|CrashImageTests' $(if $(TSAN_TESTS),--filter '$(TSAN_TESTS)')
	$(MAKE) tsan-model

build-tsan-model: deps
	DFLATKV_TSAN=1 $(SWIFT) build --product torture --sanitize=thread --scratch-path .build-tsan

tsan-model: build-tsan-model ## Run the torture machine `model` for TSAN_MINUTES (1) with the thread sanitizer
	rm -rf .torture/sanitizer && mkdir -p .torture/sanitizer
	DFLATKV_TSAN=1 TSAN_OPTIONS='halt_on_error=1 log_path=$(CURDIR)/.torture/sanitizer/report $(TSAN_OPTIONS)' \
	  .build-tsan/debug/torture --machine model --minutes $(TSAN_MINUTES) $(if $(RUN_SEED),--run-seed $(RUN_SEED)) \
	  || { cat .torture/sanitizer/* 2>/dev/null; exit 1; }

lint: ## Check the formatting, names as identities, states of locks, imports of modules and folders, documentation, and titles of suites
	@scripts/check-identity.sh
	@scripts/check-locks.sh
	@scripts/check-modules.sh
	@scripts/check-folders.py --check
	@scripts/check-inlinable.py
	@scripts/check-public-docs.py
	@scripts/check-docs-code.py
	@scripts/check-tests.sh
	$(SWIFT) format lint --strict -r Package.swift Sources Plugins Examples Tests Benchmarks/Package.swift Benchmarks/Sources \
	  Benchmarks/Replication/Package.swift Benchmarks/Replication/Sources \
	  Fuzz/Sources Mutants/Package.swift Mutants/Sources

format: ## Format the sources
	$(SWIFT) format -i -r Package.swift Sources Plugins Examples Tests Benchmarks/Package.swift Benchmarks/Sources \
	  Benchmarks/Replication/Package.swift Benchmarks/Replication/Sources \
	  Fuzz/Sources Mutants/Package.swift Mutants/Sources

demo: release ## Show two processes that share a file
	@scripts/demo.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

# kvtool with the trait Etcd, in a folder of its own: packages are fetched for it that the other builds don't need.
CLUSTER_RELEASE := $(subst .build-release,.build-cluster,$(RELEASE)) --traits Etcd

demo-cluster: deps deps-etcd ## Show three machines, and what they lose when one and a member of etcd fail: nothing
	@command -v python3 >/dev/null || scripts/install-deps.sh python3
	$(SWIFT) build $(CLUSTER_RELEASE) --product kvtool
	@scripts/demo-cluster.sh "$$($(SWIFT) build $(CLUSTER_RELEASE) --show-bin-path)"

session: release ## Record the README's terminal session, and draw it
	@scripts/install-deps.sh python3-rich
	/usr/bin/python3 scripts/record-session.py "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

readme: release ## Run every command and compile every snippet of the README
	@scripts/check-readme.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

examples: deps ## Build and run the packages of Examples, and check the plugins with them
	@scripts/check-examples.sh

bench-quick: deps-bench ## Run most benchmarks, with three pairs of measurements each, and print the ratios
	$(SWIFT) run -c release --package-path Benchmarks dflatkv-benchmarks run --quick

bench: deps-bench ## Run the benchmarks and their baselines, and write docs/performance.md
	@scripts/bench.sh

# STORES='--store lmdb --workload a' chooses.
bench-stores: deps-bench ## Run the YCSB workloads on this library and other stores, and write docs/stores.md
	$(SWIFT) run -c release --package-path Benchmarks dflatkv-benchmarks stores --write Benchmarks/stores.json --docs docs/stores.md $(STORES)

COUNT = scripts/install-deps.sh valgrind && RELEASE='$(RELEASE)' scripts/count-instructions.py

# COUNTED=update-one counts that operation only.
count: deps ## Count the instructions of a fixed set of operations, and write Benchmarks/instructions.json
	$(COUNT) --write $(if $(COUNTED),--only $(COUNTED))

count-check: deps ## Count them, and fail if an operation takes 3 % more than in that file
	$(COUNT) --check $(if $(COUNTED),--only $(COUNTED))

bench-load: deps-bench ## Measure files of up to 10,000,000 keys, and commits under load, and write docs/performance.md
	$(SWIFT) run -c release --package-path Benchmarks dflatkv-benchmarks load --docs docs/performance.md

bench-replication: deps-etcd ## Measure replicas over three members of etcd on this computer
	$(SWIFT) run -c release --package-path Benchmarks/Replication ReplicationBenchmarks

FUZZ_SECONDS ?= 60
TSAN_MINUTES ?= 1

fuzz: deps ## Replay the corpus of each fuzz target, then run it for FUZZ_SECONDS (60)
	@scripts/fuzz.sh $(FUZZ_SECONDS)

# MACHINE=name runs one machine, and SEED=n with it replays that seed.
torture: deps ## Run the torture machines for TORTURE_MINUTES (60)
	@scripts/torture.sh

MUTANTS ?= 500

mutants: deps-test ## Insert MUTANTS (500) small faults, and list those that no test detects (1 to 2 hours; can be resumed)
	$(SWIFT) build --package-path Mutants
	Mutants/.build/debug/mutants --count $(MUTANTS) $(MUTANTS_OPTIONS) .

# SUDO=sudo copies the files as root. The build runs as the user, whose PATH has swift, and who can build there again.
# PREFIX is checked before the build, which takes minutes.
install: ## Install kvtool with its man page and shell completions, and dflatc, under PREFIX
	@$(SUDO) scripts/install.sh --check "$(DESTDIR)$(PREFIX)"
	@$(MAKE) --no-print-directory release
	@$(SUDO) scripts/install.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)" "$(DESTDIR)$(PREFIX)"

dist: release ## Pack kvtool and dflatc for this system into an archive in .build-dist
	@scripts/dist.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)" .build-dist

clean: ## Delete all build output
	rm -rf .build .build-* Benchmarks/.build Examples/*/.build Mutants/.build Tests/EtcdTests/.build
