# What the two commands share: installing what a bare machine lacks. Sourced, not run.

# Runs a command as root, through sudo where needed.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs Debian packages, asking for fresh lists once.
install_packages() {
  if [ -z "${lists_are_fresh:-}" ]; then
    as_root apt-get update -qq
    lists_are_fresh=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# SQLite is compiled from source.
need_compiler() {
  command -v cargo >/dev/null || {
    echo "Everwhen is built with Rust 1.95 or later; install it first (https://rustup.rs)" >&2
    exit 1
  }
  command -v cc >/dev/null || install_packages gcc libc6-dev
}

# A Python environment with exactly the packages of tools/requirements.txt.
need_python() {
  local stamp=.venv/.requirements
  if ! cmp -s tools/requirements.txt "$stamp"; then
    python3 -m venv --help >/dev/null 2>&1 || install_packages python3-venv
    rm -rf .venv
    python3 -m venv .venv || { install_packages python3-venv && python3 -m venv .venv; }
    .venv/bin/pip install --quiet --disable-pip-version-check -r tools/requirements.txt
    cp tools/requirements.txt "$stamp"
  fi
}
