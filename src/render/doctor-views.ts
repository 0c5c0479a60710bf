import type { Check, Examined } from '../operate/examine.ts';
import type { ControllerDoctorDocument, DoctorDocument } from './document-schemas.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';

const signs: Readonly<Record<Check['is'], readonly [sign: string, tone: Tone]>> = {
  good: ['ok', 'good'],
  warning: ['warning', 'change'],
  bad: ['wrong', 'bad'],
  unknown: ['unknown', 'faint'],
};

/** Renders checks, a line each, and below what is not good its remedy. */
export function renderChecks(checks: readonly Examined<string>[], { paint }: Style): string {
  const width = Math.max(...Object.values(signs).map(([sign]) => sign.length));
  const names = Math.max(0, ...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, is, message, details = [], remedy }) => {
    const [sign, tone] = signs[is];
    return [
      `${paint(tone, sign.padEnd(width))}  ${name.padEnd(names)}  ${printable(message)}\n`,
      ...details.map((line) => `${' '.repeat(width + names + 4)}${printable(line)}\n`),
      ...(remedy === undefined ? [] : [`${' '.repeat(width + names + 4)}-> ${printable(remedy)}\n`]),
    ];
  });
  return lines.join('');
}

/** Checks as a document. */
export function doctorJson(
  checks: readonly Check[],
  { reads, writes }: { readonly reads: number; readonly writes: number },
  exitCode: number,
): DoctorDocument {
  return {
    format: 'trueup/doctor',
    version: 1,
    exitCode,
    requests: { reads, writes },
    checks,
  };
}

/** The examination of a controller as a document. */
export function controllerDoctorJson(checks: readonly Examined<string>[], exitCode: number): ControllerDoctorDocument {
  return { format: 'trueup/controller-doctor', version: 1, exitCode, checks };
}
