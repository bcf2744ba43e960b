# `make run` shows a simulated table being dealt, `make test` runs the tests. Each builds its own environment in .venv
# first; what was built is remembered in .make/, so a second call starts at once.

PYTHON  ?= python3
WORKERS ?= auto
RUN     ?= --sim --speed 4

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# An environment that was removed, or copied here from another folder, is none.
ifneq ($(shell test -x $(BIN)/python && grep -sF -- '$(CURDIR)/.venv' .venv/pyvenv.cfg),)
else
$(shell rm -rf .make)
endif

.PHONY: run test check check-hands check-install odds soak pictures bench requirements clean install-udev test-kernel
.DELETE_ON_ERROR:

run: .make/run ## a simulated table, dealt before your eyes
	@$(BIN)/python -m shoectl run $(RUN)

test: .make/test ## the test suite
	@$(BIN)/python -m pytest -n $(WORKERS)

test-kernel: .make/run ## simulated devices at a real kernel, with a real udev, in QEMU (docs/kernel.md)
	@$(BIN)/python -u -m tests.kernel $(KERNEL)

check-install: .make/test ## the guide (docs/install.md) followed in a fresh Debian with its own systemd; as root
	@$(BIN)/python -u -m tests.install

check: .make/test ## style and types
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

check-hands: .make/test ## every hand of two to five cards, against an evaluator that others wrote
	@$(BIN)/python -u -m tests.odds.total_order

odds: .make/test ## the published edges, and whole games by best play, with how long each takes
	@$(BIN)/python -u -m tests.odds.whole_games

soak: .make/test ## the full-size checks that are too long for the suite, with progress
	@$(BIN)/python -u -m tests.soak $(SOAK)

pictures: .make/test ## the pages' screenshots in docs/screenshots, and what axe says of each
	@$(BIN)/python -u -m tests.browser.pictures

bench: .make/run ## rounds per second, and from the wire to the journal
	@$(BIN)/python -u -m bench

install-udev: ## names and rights of plugged devices; as root: make install-udev USERS="dealer"
	@udev/install.sh $(USERS)

requirements: .make/uv ## export exact versions with hashes from pyproject.toml's ranges
	@printf 'hatchling>=1.25,<2\neditables\n' > .make/build.in
	@for set in "requirements.txt" "requirements-odds.txt --extra odds" "requirements-test.txt --extra test"; do \
	    .make/uv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --upgrade \
	        --no-emit-index-url --no-annotate --no-header pyproject.toml .make/build.in -o $$set || exit 1; \
	done
	@wc -l requirements*.txt

clean: ## remove everything that was built
	rm -rf .venv .make .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment ---------------------------------------------------------------------------------------------

# Debian keeps venv and pip out of python3; install them where we may, else say what to do.
.make/python:
	@mkdir -p .make
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    if [ "$$(id -u)" = 0 ]; then root=; \
	    elif sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v 2>/dev/null; }; then root=sudo; \
	    else root=false; fi; \
	    [ "$$root" = false ] || echo "python3-venv is missing, installing it"; \
	    $$root apt-get update -qq && $$root apt-get install -y -qq --no-install-recommends python3-venv >.make/apt.log 2>&1; \
	    } || { echo "python3-venv is needed: apt-get install python3-venv, then call make again" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear .venv
	@touch $@

# What the tests run against besides Python: a broker, a browser, the service manager's own checks.
PACKAGES := mosquitto:mosquitto chromium:chromium systemd-analyze:systemd

.make/packages: .make/python
	@missing=; for one in $(PACKAGES); do \
	    PATH="$$PATH:/usr/sbin" command -v "$${one%%:*}" >/dev/null || missing="$$missing $${one##*:}"; done; \
	if [ -n "$$missing" ]; then \
	    if [ "$$(id -u)" = 0 ]; then root=; \
	    elif sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v 2>/dev/null; }; then root=sudo; \
	    else echo "the tests need:$$missing; as root: apt-get install$$missing, then call make again" >&2; exit 1; fi; \
	    echo "installing$$missing for the tests (.make/apt.log)"; \
	    $$root apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	        $$root apt-get install -y -qq --no-install-recommends $$missing >.make/apt.log 2>&1 \
	    || { tail -n 3 .make/apt.log >&2; exit 1; }; \
	fi
	@touch $@

# Exact versions by their hashes; where this Python or this mirror does not have them, the ranges of pyproject.toml.
# A package that is there with other bytes is never passed over.
define install
	@echo "installing $(1) into .venv"
	@if $(PIP) install -q --require-hashes -r $(1) 2>.make/pip.log; \
	then $(PIP) install -q --no-build-isolation --no-deps -e .; \
	elif grep -q 'DO NOT MATCH THE HASHES' .make/pip.log; then cat .make/pip.log >&2; exit 1; \
	else echo "the versions of $(1) are not to be had here (.make/pip.log); installing by pyproject.toml's ranges"; \
	    $(PIP) install -q -e '.$(2)'; fi
	@touch $@
endef

.make/run: .make/python pyproject.toml requirements.txt
	$(call install,requirements.txt,)

.make/test: .make/run requirements-test.txt .make/packages
	$(call install,requirements-test.txt,[test])

.make/uv: .make/python
	@$(PYTHON) -m venv .make/uv && .make/uv/bin/python -m pip install -q 'uv>=0.7,<1'
