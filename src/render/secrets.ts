import type { SecretsDocument } from './document-schemas.ts';
import { counted } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** A secret by its name: the sealed file that has it, and what uses it. Its value is in no output. */
export interface SecretEntry {
  readonly name: string;
  /** undefined: no sealed file has it. */
  readonly file?: string | undefined;
  /** The variable of the environment that gives its value, also where a file has it; undefined: none does. */
  readonly variable?: string | undefined;
  readonly uses: readonly string[];
  /** It is sealed for all recipients of the manifest. */
  readonly isSealedForAll?: boolean | undefined;
}

/** What a command of `secret` did, and the secrets that it is about. */
export interface SecretsReport {
  /** The files that were written. */
  readonly written: readonly string[];
  readonly secrets: readonly SecretEntry[];
  /** Sentences about what to do next. */
  readonly next: readonly string[];
}

/** The document of a command of `secret`. */
export function secretsJson({ written, secrets }: SecretsReport): SecretsDocument {
  return {
    format: 'trueup/secrets',
    version: 1,
    written: [...written],
    secrets: secrets.map(({ name, file = null, variable = null, uses, isSealedForAll = false }) => ({
      name,
      file,
      variable,
      uses: [...uses],
      sealedForAll: isSealedForAll,
    })),
  };
}

/** Renders secrets by their files, one per line, and those that no file has at the end. */
export function renderSecrets({ secrets, next }: SecretsReport, style: Style): string {
  const files = [...new Set(secrets.map(({ file }) => file))].toSorted(
    (a, b) => Number(a === undefined) - Number(b === undefined),
  );
  const width = Math.max(0, ...secrets.map(({ name }) => name.length));
  const blocks = files.map((file) => {
    const own = secrets.filter((one) => one.file === file);
    const head = file === undefined ? 'in no sealed file' : `${file}: ${counted(own.length, 'secret')}`;
    const lines = own.map(({ name, uses, variable, isSealedForAll }) => {
      const stale =
        file !== undefined && isSealedForAll !== true ? style.paint('bad', ' (not sealed for all recipients)') : '';
      const over = file === undefined ? '' : `, over ${printable(file)}`;
      const from = variable === undefined ? '' : style.paint('bad', ` (environment: ${variable}${over})`);
      return `  ${name.padEnd(width)} ${style.paint('faint', usesWords(uses))}${from}${stale}`;
    });
    return [style.paint('strong', printable(head)), ...lines].join('\n');
  });
  return [...blocks, ...next.map(printable)].map((text) => `${text}\n`).join('');
}

/** Renders what was written, one line per secret. */
export function renderWritten({ secrets, next }: SecretsReport, verb: string): string {
  const lines = secrets.map(
    ({ name, file, uses }) => `${verb} ${name}${file === undefined ? '' : ` in ${file}`}; ${usesWords(uses)}`,
  );
  return [...lines, ...next].map((line) => `${printable(line)}\n`).join('');
}

function usesWords(uses: readonly string[]): string {
  if (uses.length === 0) return 'nothing uses it';
  return `used by ${uses.slice(0, 3).join(', ')}${uses.length > 3 ? ` and ${uses.length - 3} more` : ''}`;
}
