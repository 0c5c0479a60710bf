/** What stands under a secret name and is none: nothing, a flag, a reference to a variable, a path, an alias of YAML. */
export function isOpenValue(value: string): boolean {
  const text = value.trim();
  return (
    /^(?:|true|false|yes|no|on|off|null|none|nil|undefined|~|\*[\w-]+|!reset.*|\{\}|\[\]|\(sensitive\))$/i.test(text) ||
    isReference(text) ||
    isPath(text)
  );
}

/** A variable of compose or a shell, a template; one with a default that is no reference is none. */
export function isReference(text: string): boolean {
  if (text.length > 512) return false;
  return (
    /^\$\$?(?:\w+|\{\w[\w.]*(?::?\?[^}]*)?\}|\{\w+:?[-+]\}|\{\{[^{}]*\}\}|\((?:cat|file)[^)]*\))$/.test(text) ||
    /^\$\{\w+:?[-+]\$\{?\w+(?:[:?][^}]*)?\}?\}$/.test(text) ||
    /^\{\{[^{}]*\}\}$/.test(text) ||
    /^<[\w -]{1,40}>$/.test(text) ||
    /^%\w+%$/.test(text) ||
    // An expression of a manifest: where it was filled in, its value stands here.
    /^\$\{(?:secret|env|var|ref|file):[^}]*\}$/.test(text) ||
    /^(?:process\.env|os\.environ|env|secrets?)[.[(]["'\w.-]+(?:,[ \t]?(?:""|''|null))?[\])]?$/.test(text)
  );
}

/** A path of words, also below a variable: `/run/secrets/db`, `./certs/shop.key`, `${HOME}/.ssh/id_rsa`. */
function isPath(text: string): boolean {
  if (text.length > 256) return false;
  const path = text.replace(/^\$\{?[\w.]+\}?(?=\/)/, '');
  if (!/^(?:\.{0,2}|~)\/[\w./-]+$|^[\w-]+(?:\/[\w.-]+)+\.\w{1,5}$/.test(path)) return false;
  const parts = path.split(/[-_./~]+/).filter((part) => part !== '');
  return (
    parts.length >= 2 && parts.every((part) => /^(?:[A-Z]?[a-z]{0,20}\d{0,4}|ed25519|[A-Z]{1,16}|\d{1,4})$/.test(part))
  );
}

/** What stands under a name that proves little, and is a word, a small number or a name of words. */
export function isPlainWord(value: string): boolean {
  const text = value.trim();
  if (text.length > 64 || /secret|passw|token|change.?me/i.test(text)) return false;
  return /^(?:[A-Za-z]{1,20}|-?\d{1,4}|[A-Za-z]{2,20}(?:[-_. ][A-Za-z]{1,20}){1,4}|\$\w+)$/.test(text);
}

/** What a shell keeps under these names. */
export function isWorkingDirectory(key: string, value: string): boolean {
  return /^(?:OLD)?PWD$/.test(key) && /^["']?(?:~|\.{0,2})\/[\w./@ -]*["']?$/.test(value);
}
