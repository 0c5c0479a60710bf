#!/usr/bin/env bash
# Records the progress of an apply on a terminal, and writes docs/progress.md and its picture.
# It takes about a minute and needs tmux. The platform is the emulator, which takes its time as a real one does.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run build >/dev/null
trueup="$PWD/bin/trueup.js"
page="$PWD/docs/progress.md"
folder="$(mktemp -d)"
socket="trueup-record-$$"
platform=""

end_platform() {
  if [ -n "$platform" ]; then kill "$platform" && wait "$platform" || true; fi
  platform=""
}

clean_up() {
  end_platform
  tmux -L "$socket" kill-server 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

# The examples take their passwords from the environment.
for name in $(grep -rhoE 'secret:SHOP_[A-Z_]+' examples/shop | sort -u | cut -d: -f2); do
  export "TRUEUP_SECRET_$name=only_for_the_recording"
done
export TRUEUP_API_KEY="emulator-key"
unset NO_COLOR FORCE_COLOR

# begin EXAMPLE LATENCY DEPLOY_TIME: a platform without anything on it, and a copy of the example that is meant for it.
begin() {
  end_platform
  rm -rf "${folder:?}/run"
  cp -r "examples/$1" "$folder/run"
  node "$trueup" emulate --port 0 --latency "$2" --deploy-time "$3" >"$folder/platform.log" &
  platform=$!
  until grep -q TRUEUP_API_KEY "$folder/platform.log"; do sleep 0.1; done
  local url
  url="$(sed -n 's/^TRUEUP_URL=//p' "$folder/platform.log")"
  sed -i "s#^platform: emulator#platform: { url: \"$url\" }#" "$folder/run/trueup.yaml"
}

# pane: what is to be seen, without the empty lines at the end.
pane() {
  tmux -L "$socket" capture-pane -p -t record | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

# block TITLE: a heading and what comes in as plain text.
block() {
  printf '\n## %s\n\n```text\n' "$1" >>"$page"
  sed '${/^$/d}' >>"$page"
  printf '```\n' >>"$page"
}

# record COLUMNS ROWS SECONDS: an apply in a terminal after so many seconds and at its end.
record() {
  tmux -L "$socket" -f /dev/null new-session -d -s record -x "$1" -y "$2" "env PS1='$ ' bash --norc --noprofile"
  tmux -L "$socket" send-keys -t record "clear; node '$trueup' -C '$folder/run' apply --auto-approve" Enter
  sleep "$3"
  pane | block "After $3 seconds"
  for _ in $(seq 300); do
    if pane | grep -qE '^(Applied|Not everything|Interrupted)'; then break; fi
    sleep 0.2
  done
  sleep 0.3
  pane | block "At the end"
  tmux -L "$socket" kill-server
}

cat >"$page" <<'EOF'
# The progress of an apply

![An apply on a terminal: finished actions above, running and waiting ones below](pictures/progress.svg)

- **On a terminal** Trueup redraws the open actions in place, never wider or higher than the terminal. Running actions come
  first, and a last line counts those that do not fit. Each finished action stays above them as one line, a failed one with its
  reason. `NO_COLOR` and `--no-color` turn colours off.
- **In a pipe, and with `TERM=dumb`**, Trueup prints a line for each event. Where nothing happened for 30 s, it prints what still
  runs.
- **Programs** use `--format json`: [events](json-output.md#trueupevent).

`scripts/record-progress.sh` recorded the following: an apply of examples/shop on a terminal of 80 columns and 24 lines.
EOF

begin shop 200 4000
record 80 24 5
npx tsx scripts/picture-progress.ts
echo "$page"
