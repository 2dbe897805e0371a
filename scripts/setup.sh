# Sourced by ./run and ./test: what to install, and how to configure and build. Needs bash.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian packages: what the build needs, and what the tests need as well.
build_packages=(g++ cmake ninja-build libeigen3-dev libsqlite3-dev libcli11-dev
                libfmt-dev libsimdjson-dev nlohmann-json3-dev zlib1g-dev liblzma-dev libzstd-dev
                libboost-dev libssl-dev)
test_packages=(clang-format doxygen pkg-config libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
               chromium curl openssl locales qemu-user abigail-tools)

die() {
  echo "splitgp: $*" >&2
  exit 1
}

# quietly LOG COMMAND...: output goes to LOG and is shown only if the command fails.
# Standard input is left alone for the program that ./run starts.
quietly() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    cat "$log" >&2
  fi
  return "$status"
}

# build_quietly LOG COMMAND...: like quietly, but a terminal shows the progress of Ninja.
build_quietly() {
  local log=$1 status=0
  if [[ ! -t 2 ]]; then
    quietly "$@"
    return
  fi
  shift
  "$@" 2>&1 </dev/null | tee "$log" | show_count || status=$?
  if ((status != 0)); then
    cat "$log" >&2
  fi
  return "$status"
}

# show_count: turns the [37/120] at the start of Ninja's lines into one line that overwrites itself.
show_count() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '\r\033[Ksplitgp: building, %s of %s' "${BASH_REMATCH[@]:1}" >&2
    fi
  done
  printf '\r\033[K' >&2
}

# install_missing PACKAGE...: does not touch the network if all are installed.
install_missing() {
  # On other systems than Debian we trust the user; CMake will name what is missing.
  command -v dpkg-query >/dev/null || return 0
  local package missing=() as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0

  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "these packages are missing; as root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "splitgp: installing ${missing[*]}" >&2
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
    -o DPkg::Lock::Timeout=120)
  quietly "$root/build/install.log" "${apt[@]}" update ||
    die "apt-get update failed"
  quietly "$root/build/install.log" "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
    die "could not install: ${missing[*]}"
}

# install_missing_npm: npm fetches the charting library of `splitgp report`. Any npm will do, and
# Debian's pulls in hundreds of packages.
install_missing_npm() {
  command -v npm >/dev/null || install_missing npm
}

# install_missing_python: makes sure that python3 can create environments and compile modules.
install_missing_python() {
  command -v python3 >/dev/null || install_missing python3
  python3 -c 'import ensurepip, venv' 2>/dev/null || install_missing python3-venv
  [[ -f $(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h ]] ||
    install_missing python3-dev
}

# best_arch: prints the -march of the variant of the core that this processor would choose; nothing for
# the baseline. A build that stays on this machine need not compile the core more than once.
best_arch() {
  local flags
  flags=" $(grep -m1 '^flags' /proc/cpuinfo 2>/dev/null) "
  has() {
    local flag
    for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done
  }
  has avx2 bmi1 bmi2 f16c fma abm movbe xsave || return 0
  if has avx512f avx512bw avx512cd avx512dq avx512vl; then
    echo x86-64-v4
  else
    echo x86-64-v3
  fi
}

# configure_and_build PRESET [-DNAME=VALUE...] [TARGET...]: configures only if this tree has not been
# configured with these values, or if the presets have changed since. The build itself notices every
# other change to a CMake file.
configure_and_build() {
  local preset=$1 arg settings=() targets=() fresh=true
  shift
  local dir=$root/build/$preset
  local stamp=$dir/configured_with
  [[ -f $dir/build.ninja && $stamp -nt $root/CMakePresets.json ]] || fresh=false
  for arg in "$@"; do
    if [[ $arg == -D* ]]; then
      settings+=("$arg")
      grep -qsxF -e "$arg" "$stamp" || fresh=false
    else
      targets+=("$arg")
    fi
  done

  if [[ $fresh == false ]]; then
    rm -f "$stamp"
    quietly "$dir/configure.log" cmake -S "$root" --preset "$preset" "${settings[@]}" || return
    printf '%s\n' "${settings[@]}" >"$stamp"
  fi
  build_quietly "$dir/build.log" cmake --build "$dir" --parallel "$(nproc)" \
    ${targets[@]:+--target "${targets[@]}"}
}
