#!/usr/bin/env bash
# Records the progress of an apply, on terminals of two widths and in a pipe, and writes docs/progress.md.
# It takes about two minutes and needs tmux. The platform is the emulator, which takes its time as a real one does.
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
  printf '\n### %s\n\n```text\n' "$1" >>"$page"
  sed '${/^$/d}' >>"$page"
  printf '```\n' >>"$page"
}

# record COLUMNS ROWS SECOND SECOND: an apply in a terminal at two moments and at its end.
record() {
  tmux -L "$socket" -f /dev/null new-session -d -s record -x "$1" -y "$2" "env PS1='$ ' bash --norc --noprofile"
  tmux -L "$socket" send-keys -t record "clear; node '$trueup' -C '$folder/run' apply --auto-approve" Enter
  sleep "$3"
  pane | block "After $3 seconds"
  sleep "$(($4 - $3))"
  pane | block "After $4 seconds"
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

`scripts/record-progress.sh` recorded this page. On a terminal, Trueup redraws the open actions in place, never wider or
higher than the terminal; running actions come first, and a last line counts those that do not fit. Each finished action
stays above them as one line, a failed one with its reason. `NO_COLOR` and `--no-color` turn colours off. With `TERM=dumb`
Trueup prints lines, as in a pipe. Programs use `--format json`: [json-output.md](json-output.md).
EOF

begin hello 100 6000
printf '\n## examples/hello on a terminal of 80 columns\n' >>"$page"
record 80 24 3 6

begin shop 200 4000
printf '\n## examples/shop on a terminal of 80 columns\n' >>"$page"
record 80 24 4 14

begin shop 200 4000
printf '\n## examples/shop on a terminal of 120 columns\n' >>"$page"
record 120 45 4 14

begin hello 100 40000
printf '\n## examples/hello in a pipe\n' >>"$page"
node "$trueup" -C "$folder/run" apply --auto-approve 2>&1 >/dev/null | cat | block "With a deployment of 40 seconds"

begin shop 50 1000
printf '\n## examples/shop in a pipe\n' >>"$page"
node "$trueup" -C "$folder/run" apply --auto-approve 2>&1 >/dev/null | cat >"$folder/lines"
{
  head -n 25 "$folder/lines"
  echo "[$(($(wc -l <"$folder/lines") - 35)) lines]"
  tail -n 10 "$folder/lines"
} | block "The first lines and the last"
npx tsx scripts/picture-progress.ts
echo "$page"
