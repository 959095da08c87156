# `make run` and `make demo` need nothing but Node 20 or newer and npm; npm brings Node 24 itself.
.PHONY: help run demo test check cluster bench install
.DEFAULT_GOAL := help

STAMP := node_modules/.installed

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: install ## hook, simulated cloud and local loop on metacontroller/examples, with a page and a live table; Ctrl-C ends it
	@OTC_SIMULATOR=embedded LOCAL_MANIFESTS=metacontroller/examples npm start --silent

demo: install ## a scripted tour on the simulated cloud; ends by itself
	@npm run --silent demo

test: install ## check and every test; the last line says `N passed, N failed`
	@npm test --silent

check: install ## types, lint, format, import boundaries, dead code
	@npm run --silent check

cluster: install ## a real API server with two hook replicas; prints the kubeconfig; Ctrl-C ends it
	@npm run --silent cluster

bench: install ## speed and cost as ratios, some 5 minutes; `npm run bench -- --quick` takes one
	@npm run --silent bench

install: $(STAMP)

# tap generates its test class once per installation.
$(STAMP): package-lock.json .npmrc .taprc
	@command -v npm >/dev/null || { echo 'npm is missing: install Node 20 or newer (https://nodejs.org)'; exit 1; }
	npm ci --no-audit --no-fund --loglevel=error
	npm exec --silent -- tap build
	@touch $@
