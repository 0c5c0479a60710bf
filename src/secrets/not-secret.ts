import { secretMarks } from '../formats/secret-mark.ts';

/** What stands under a secret name and is none: nothing, a flag, a time, a list of names, a reference, a path, an alias. */
export function isOpenValue(value: string): boolean {
  const text = bareValue(value);
  return (
    /^(?:\W?|[01]|true|false|yes|no|on|off|null|none|nil|undefined|\*[\w-]+|!reset|[[{(][\]})]?|\(sensitive\)|\d{1,3}(?:ms|[smhd]))$/i.test(
      text,
    ) ||
    /^\[ *[A-Za-z_.-]+(?: *, *[A-Za-z_.-]+)* *\]$/.test(text) ||
    isReference(text) ||
    isPath(text)
  );
}

/** A value without its quotes, the comment behind it and the variable whose default it is. */
export function bareValue(value: string): string {
  const bare = value.trim().split(/[,;]?[ \t]+#[ \t]/, 1)[0] ?? '';
  const open =
    bare.length > 512 || !bare.endsWith('}') ? undefined : /^\$\$?\{(?:\w+:?[-+]|[A-Z\d_]+:(?!\?))/.exec(bare)?.[0];
  return open === undefined ? bare : bareValue(bare.slice(open.length, -1));
}

/** A variable of compose, a shell or a manifest, the mark of a secret, a template, or several of them; one with a default that is no reference is none. */
export function isReference(text: string): boolean {
  if (text.length > 512) return false;
  const bare = bareValue(text);
  return reference.test(text) || filledIn.test(text) || (bare !== text && (bare === '' || isReference(bare)));
}

const variable = String.raw`(?:[${secretMarks.first}-${secretMarks.last}]|\$\$?(?:\w+|\{(?:(?:secret|env|var|ref|file):[^{}]*|[a-z]+(?::\w+)+|\w[\w.]*(?::?\?[^{}]*|:?[-+])?)\}|\{\{[^{}]*\}\}|\((?:\w+|(?:cat|file|<)[^()]*)\)))`;
const reference = new RegExp(
  String.raw`^(?:(?:Bearer|Basic|Token)[ \t]+|base64:)?(?:${variable}[:/@., -]{0,2})+["',;)\]]{0,4}$|^\$\{\w+:?\?|^\$\$?\([^\n]*\)$|^\{\{[^{}]*\}\}$|^<[\w -]{1,40}>$|^%(?:\w|\w+%|\{[^{}]*\})$`,
);
/** An expression of a program. */
const filledIn =
  /^(?:process\.env|os\.environ|env|secrets?)[.[(/:]["'\w.-]+(?:,[ \t]?(?:""|''|null))?[\])]?$|^[A-Za-z_]+(?:[.:]{1,2}[A-Za-z_]+)+\([^\n]*\)[;,]?$/;

/** A path of words, also below a variable: `/run/secrets/db`, `./certs/shop.key`, `${HOME}/.ssh/id_rsa`. */
function isPath(text: string): boolean {
  if (text.length > 256) return false;
  const path = text.replace(/^\$(?:\w+|\{[\w.]+(?::?-[\w./-]*)?\})(?=\/)/, '');
  if (!/^(?:\.{0,2}|~)\/[\w./@-]+$|^[\w-]+(?:\/[\w.-]+)+\.\w{1,5}$/.test(path)) return false;
  const parts = path.split(/[-_./~@]+/).filter((part) => part !== '');
  return (
    parts.length >= 2 &&
    parts.every((part) =>
      /^(?:(?:[A-Z]?[a-z]{0,20}|[a-z]{2,20}(?:[A-Z][a-z]{2,20}){1,3})\d{0,5}|[A-Z]{1,16})$/.test(part),
    )
  );
}
