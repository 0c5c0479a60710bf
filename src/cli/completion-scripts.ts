/**
 * The completion scripts. Each runs `trueup complete -- <words>`, with the word at the cursor last. The answer has a line
 * for each candidate, with a tab and its description, or the line `:files`. Here %{ stands for ${.
 */
const scripts = {
  bash: String.raw`# eval "$(trueup completion bash)"
_trueup() {
  local word line current candidate before glued='' words=()
  for word in "%{COMP_WORDS[@]:1:COMP_CWORD}"; do # bash splits words at = and : too
    if [[ %{#words[@]} -gt 0 && ( -n $glued || $word == [=:]* ) ]]; then
      words[%{#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    [[ $word == *[=:] ]] && glued=1 || glued=''
  done
  current=%{words[%{#words[@]}-1]}
  unset "words[%{#words[@]}-1]"
  before=%{current%"%{COMP_WORDS[COMP_CWORD]}"}
  word=%{current//\\/}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate line; do
    if [[ $candidate == :files ]]; then compopt -o default 2>/dev/null; return; fi
    [[ $candidate == *= ]] && compopt -o nospace 2>/dev/null
    if [[ $current == *[\'\"]* ]]; then # in a quote, offer only text that no quote gives a meaning
      [[ $candidate == *[!][:alnum:]\ _./:@%+=,*\"[-]* ]] && continue
      [[ $current == \"* ]] && candidate=%{candidate//\"/\\\"}
    fi
    [[ $current == [\'\"]* ]] || printf -v candidate %q "$candidate"
    COMPREPLY+=("%{candidate#"$before"}")
  done < <("$1" complete -- "%{words[@]//[\'\"\\]/}" "%{word#[\'\"]}" 2>/dev/null)
}
complete -F _trueup trueup
`,
  zsh: String.raw`#compdef trueup
# source <(trueup completion zsh), after compinit; or in a file _trueup of $fpath
_trueup() {
  local line
  local -a values shown
  for line in "%{(@f)$("$words[1]" complete -- "%{(@Q)words[2,CURRENT-1]}" "%{(Q)PREFIX}" 2>/dev/null)}"; do
    [[ $line == :files ]] && { _files; return }
    [[ -n $line ]] || continue
    values+=("%{line%%$'\t'*}")
    shown+=("%{line/$'\t'/  -- }")
  done
  if [[ $values[1] == *= ]]; then
    compadd -S '' -a values
  else
    compadd -l -d shown -a values
  fi
}
if [[ $funcstack[1] == _trueup ]]; then
  _trueup
else
  compdef _trueup trueup
fi
`,
  fish: String.raw`# trueup completion fish | source
function __trueup_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct | string replace -ra '^[\'"]|\\\\' '')
    set -l lines ($words[1] complete -- $words[2..-1] "$word" 2>/dev/null)
    if test "$lines" = :files
        __fish_complete_path "$word"
    else
        printf '%s\n' $lines
    end
end
complete -c trueup -f -a '(__trueup_complete)'
`,
} as const;

/** A shell with completion. */
type Shell = keyof typeof scripts;

/** The shells with completion. */
export const shells = Object.keys(scripts) as Shell[]; // the keys of the table

/** Returns the completion script of a shell. */
export function completionScript(shell: Shell): string {
  return scripts[shell].replaceAll('%{', '${');
}
