# shellcheck shell=bash
# The parts of a test run, which ./stratus and .ci/run share. Sourced after lib.sh.

: "${root:?the script that sources this sets it}"

# Installs what the tests need, and goes to the repository's folder.
prepare_tests() {
    require_swift
    install_packages packages.txt test-packages.txt
    install_python_packages
    cd "$root"
}

build_tests() { swift build --build-tests; }

# Runs the clients and the browser against the build that the tests made, or the tool at STRATUS_CLIENTS_BINARY.
run_python_tests() {
    local -x STRATUS_BINARY=${STRATUS_CLIENTS_BINARY:-$root/.build/debug/stratus}
    .venv/bin/python Scripts/python-tests Tests/Browser Tests/Clients
}

# Far longer than the tests take: what hangs is ended and named.
readonly longest_test_run=${STRATUS_TEST_SECONDS:-1800}

# Tests at a time. All thousands at once would make each wait minutes for its turn, and give up what it waits for.
readonly tests_at_a_time=16

# Thousands of lines are printed; which tests failed, or did not end, is said again at the end.
run_swift_tests() {
    local output status=0
    output=$(mktemp)
    # Line by line, so that what hangs has been named before.
    timeout --kill-after 30 "$longest_test_run" stdbuf -oL swift test --skip-build \
        --experimental-maximum-parallelization-width "$tests_at_a_time" "$@" 2>&1 | tee "$output" || status=$?
    if ((status == 124)); then
        say "Tests that had not finished after $longest_test_run s"
        unfinished_tests "$output" >&2
    elif ((status != 0)); then
        say "Failures"
        grep -E '^(✘|↳|.*: error: )|Fatal error|unexpected signal' "$output" >&2 || tail -n 20 "$output" >&2
    fi
    rm -f "$output"
    return "$status"
}

# The tests of which a run says that they began, and not that they ended.
unfinished_tests() {
    awk '
        /^◇ Test .* started\.$/ { name = $0; sub(/^◇ Test /, "", name); sub(/ started\.$/, "", name); open[name]++ }
        /^(✔|✘) Test .* (passed|failed) after / {
            name = $0
            sub(/^(✔|✘) Test /, "", name)
            sub(/( with [0-9]+ test cases?)? (passed|failed) after .*$/, "", name)
            open[name]--
        }
        END { for (name in open) if (open[name] > 0 && name !~ /^(run$|case )/) print name }
    ' "$1"
}
