# The targets everybody needs. `make check` is the inner loop; `make test` is everything CI runs.

.PHONY: run check test bench

run:
	tools/run

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace --quiet

test:
	tools/test

bench:
	cargo build --release --bin everwhen
	target/release/everwhen bench store
