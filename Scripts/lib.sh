# shellcheck shell=bash
# What ./stratus, .ci/run and the other scripts share. Sourced; expects `root`, the repository's folder.
# Progress goes to standard error, so that standard output belongs to the tool that is run.

: "${root:?the script that sources this sets it}"

# The input of random tests follows from what is committed of sources and tests: every change is tried with new input, and
# two runs of the same change with the same. Empty, or in a folder that is not Git's, each run has its own.
: "${STRATUS_SEEDS=$(git -C "$root" rev-parse --quiet HEAD:Sources HEAD:Tests 2>/dev/null | tr '\n' ' ' || true)}"
export STRATUS_SEEDS

readonly minimum_swift_major=6 minimum_swift_minor=1

say() { printf '==> %s\n' "$*" >&2; }

die() {
    printf 'stratus: %s\n' "$*" >&2
    exit 1
}

# The lines of a list without comments.
read_list() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/Scripts/$1"; }

require_swift() {
    local help="Stratus needs Swift $minimum_swift_major.$minimum_swift_minor or later on the PATH."
    command -v swift >/dev/null ||
        die "$help Install a toolchain for your system as swift.org describes, then run this again."
    local version
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' | head -n 1)
    local major=${version% *} minor=${version#* }
    [[ -n $version ]] || die "$help 'swift --version' printed no version."
    if ((major < minimum_swift_major || (major == minimum_swift_major && minor < minimum_swift_minor))); then
        die "$help Found version $major.$minor."
    fi
}

is_installed() {
    local status
    # shellcheck disable=SC2016 # a format of dpkg's, not of the shell's
    status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) && [[ $status == ii* ]]
}

as_root() {
    if ((EUID == 0)); then
        env "$@"
    elif command -v sudo >/dev/null; then
        sudo env "$@"
    else
        die "packages are missing, and only root can install them. Run as root: apt-get install ${missing[*]}"
    fi
}

# Installs what is missing of the named lists. Asks for no rights when nothing is.
install_packages() {
    [[ -z ${STRATUS_SKIP_PACKAGES:-} ]] || return 0
    local wanted missing=() package list
    wanted=$(for list in "$@"; do read_list "$list"; done)
    command -v dpkg-query >/dev/null || die "packages can only be installed automatically on Debian." \
        "Install the equivalents of: ${wanted//$'\n'/ } – then run this again with STRATUS_SKIP_PACKAGES=1."
    for package in $wanted; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]} > 0)) || return 0
    say "Installing Debian packages: ${missing[*]}"
    # In run level 1 the packages' own services are not started.
    local settings=(DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
    as_root "${settings[@]}" apt-get update -q >&2 || die "apt-get update failed; see above."
    as_root "${settings[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 ||
        die "these packages could not be installed: ${missing[*]}"
}

# A virtual environment in .venv with the tests' Python packages.
install_python_packages() {
    local requirements="$root/Scripts/test-requirements.txt" installed="$root/.venv/installed.txt"
    cmp -s "$requirements" "$installed" && return 0
    say "Installing Python packages of the tests into .venv"
    python3 -m venv "$root/.venv"
    "$root/.venv/bin/pip" install --quiet --requirement "$requirements"
    cp "$requirements" "$installed"
}

# Whether Package.swift has an executable of that name.
has_product() { grep -q "\"$1\"" "$root/Package.swift"; }

# Builds for use. Linked in, the toolchain's own libraries take less memory and need not be there where it runs; packed,
# the addresses that are fixed at the start take a megabyte less.
swift_release_build() {
    swift build --package-path "$root" -c release --static-swift-stdlib \
        -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs "$@"
}

build_release() {
    say "Building $1 (release); the first build takes some minutes"
    local stamp="$root/.build/$1.built"
    mkdir -p "$root/.build"
    # Marked before the build: what is edited during it counts as changed.
    touch "$stamp.new"
    swift_release_build --product "$1" >&2
    mv "$stamp.new" "$stamp"
}

# Builds a product unless nothing has changed since it was built last.
build_if_changed() {
    local stamp="$root/.build/$1.built"
    if [[ -x $root/.build/release/$1 && -e $stamp ]]; then
        local changed
        changed=$(find "$root/Package.swift" "$root/Sources" -newer "$stamp" -print -quit)
        [[ -n $changed ]] || return 0
    fi
    require_swift
    install_packages packages.txt
    build_release "$1"
}

# Runs a named step and says how long it took.
step() {
    local name=$1 started=$SECONDS status=0
    shift
    say "$name"
    "$@" || status=$?
    if ((status != 0)); then
        die "$name failed with status $status after $((SECONDS - started)) s"
    fi
    say "$name: $((SECONDS - started)) s"
}
