import { parse, type ScalarTag } from 'yaml';
import type { Row } from './json-rows.ts';

/** Reads a compose file that the platform wrote, as docker does: with merge keys, and with more forms of numbers than YAML 1.2. */
export function readAsDocker(text: string): Row {
  // The platform wrote a map, and has counted the aliases.
  return parse(text, {
    merge: true,
    customTags: (tags) => [number, day, ...tags],
    maxAliasCount: -1,
    logLevel: 'error',
  }) as Row;
}

/** `0440` is octal, and `1_000` a number. Measured with docker 28. */
const number: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  identify: () => false,
  test: /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[\da-f_]+|[1-9][\d_]*)$/i,
  resolve(text) {
    const plain = text.replaceAll('_', '');
    return Number(/^0[0-7]/.test(plain) ? `0o${plain}` : plain);
  },
};

/** A date becomes a time. Measured with docker 28. */
const day: ScalarTag = {
  tag: 'tag:yaml.org,2002:timestamp',
  default: true,
  identify: () => false,
  test: /^\d{4}-\d\d?-\d\d?$/,
  resolve: (text) => `${text.replaceAll(/-(\d)(?=-|$)/g, '-0$1')} 00:00:00 +0000 UTC`,
};
