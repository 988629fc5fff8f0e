# shellcheck shell=bash
# A server for an example: sourced by the checks. Sets base_url, data and stratus; everything goes when the check ends.
# With the check's argument 'record', what show_recording shows is stored in the SDK's documentation.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
# shellcheck source=../Scripts/lib.sh source-path=SCRIPTDIR
source "$root/Scripts/lib.sh"

if [[ -z ${STRATUS:-} ]]; then build_if_changed stratus; fi
stratus=${STRATUS:-$root/.build/release/stratus}
work=$(mktemp -d)
data=$work/data
export STRATUS_DATA=$data
server=
readonly recording=${1:-}

stop_server() {
    [[ -n $server ]] || return 0
    local pid=$server
    server=
    kill -TERM "$pid"
    wait "$pid"
}

clean_up() {
    stop_server || say "the server ended with a failure; its log: $(cat "$work/log")"
    rm -rf "$work"
}
trap clean_up EXIT

# Starts a server on a free port and waits until it listens.
start_server() {
    mkfifo "$work/output"
    "$stratus" serve --data "$data" --port 0 "$@" >"$work/output" 2>"$work/log" &
    server=$!
    exec 3<"$work/output"
    read -r line <&3 || die "the server does not start: $(cat "$work/log")"
    # shellcheck disable=SC2034 # for the check
    base_url=${line#listening on }
}

# Builds the Swift package of the example. The examples share the products, so that the library is
# built once.
build_programs() {
    local options=(--quiet --scratch-path "$root/Examples/.build")
    swift build "${options[@]}"
    # shellcheck disable=SC2034 # for the check
    programs=$(swift build "${options[@]}" --show-bin-path)
}

# Shows what a command prints, which is stored under a name if the check records.
show_recording() {
    local name=$1
    shift
    "$@" | tee "$work/$name"
    [[ $recording != record ]] || cp "$work/$name" "$root/Documentation/sdk/$name"
}
