/** What stands under a secret name and is none: nothing, a flag, a reference to a variable, a path, an alias of YAML. */
export function isOpenValue(value: string): boolean {
  const text = value.trim();
  return (
    /^(?:|[01]|true|false|yes|no|on|off|null|none|nil|undefined|~|\*[\w-]+|!reset.*|\{\}|\[\]|\(sensitive\))$/i.test(
      text,
    ) ||
    isReference(text) ||
    isPath(text) ||
    isOpenDefault(text, isOpenValue)
  );
}

/** A variable of compose or a shell, a template, or several of them; one with a default that is no reference is none. */
export function isReference(text: string): boolean {
  return text.length <= 512 && (reference.test(text) || filledIn.test(text) || isOpenDefault(text, isReference));
}

const variable = String.raw`\$\$?(?:\w+|\{\w[\w.]*(?::?\?[^{}]*)?\}|\{\w+:?[-+]\}|\{\{[^{}]*\}\}|\((?:cat|file)[^()]*\))`;
const reference = new RegExp(String.raw`^(?:${variable}[:/@.-]?)+$|^\{\{[^{}]*\}\}$|^<[\w -]{1,40}>$|^%\w+%$`);
/** An expression of a manifest: where it was filled in, its value stands here. Or one of a program. */
const filledIn =
  /^\$\{(?:secret|env|var|ref|file):[^}]*\}$|^(?:process\.env|os\.environ|env|secrets?)[.[(]["'\w.-]+(?:,[ \t]?(?:""|''|null))?[\])]?$/;

/** The default of a variable counts as a value that stands there. */
function isOpenDefault(text: string, isOpen: (value: string) => boolean): boolean {
  const open = /^\$\$?\{\w+:?[-+]/.exec(text)?.[0];
  return open !== undefined && text.length <= 512 && text.endsWith('}') && isOpen(text.slice(open.length, -1));
}

/** An address of the web without a user, a query or a part that looks random: that is searched for by itself. */
export function isLink(text: string): boolean {
  return /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./~%#-]*)?$/.test(text.trim());
}

/** A path of words, also below a variable: `/run/secrets/db`, `./certs/shop.key`, `${HOME}/.ssh/id_rsa`. */
function isPath(text: string): boolean {
  if (text.length > 256) return false;
  const path = text.replace(/^\$(?:\w+|\{[\w.]+(?::?-[\w./-]*)?\})(?=\/)/, '');
  if (!/^(?:\.{0,2}|~)\/[\w./-]+$|^[\w-]+(?:\/[\w.-]+)+\.\w{1,5}$/.test(path)) return false;
  const parts = path.split(/[-_./~]+/).filter((part) => part !== '');
  return (
    parts.length >= 2 && parts.every((part) => /^(?:[A-Z]?[a-z]{0,20}\d{0,4}|ed25519|[A-Z]{1,16}|\d{1,4})$/.test(part))
  );
}

/** What a shell keeps under these names. */
export function isWorkingDirectory(key: string, value: string): boolean {
  return /^(?:OLD)?PWD$/.test(key) && /^["']?(?:~|\.{0,2})\/[\w./@ -]*["']?$/.test(value);
}
