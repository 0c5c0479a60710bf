import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** A fenced block of a page. */
export interface Fence {
  /** The page and the line that the block begins at. */
  readonly at: string;
  /** `sh`, `yaml`, `text`, …; empty where the page says none. */
  readonly language: string;
  readonly text: string;
  /** The file that the line before the block names: `` `trueup.yaml`: ``. */
  readonly file: string | undefined;
}

/** The fenced blocks of a page, those of list items too, without their indentation. */
export function fencesIn(page: string, text: string): readonly Fence[] {
  const lines = text.split('\n');
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, margin = '', language = '', block = ''], nth, all) => {
      const line = text.slice(0, all[nth]?.index).split('\n').length;
      const [, file] = /^`([^`]+)`:/.exec(lines[line - 3] ?? '') ?? [];
      return { at: `${page}:${line}`, language, text: block.replaceAll(new RegExp(`^${margin}`, 'gm'), ''), file };
    },
  );
}

/** A block of commands of a page, with the prose and the text up to the next one. */
export interface Part {
  readonly commands: string;
  readonly prose: string;
  /** Lines that the commands print, in this order. */
  readonly expected: readonly string[];
}

/** The blocks of commands of a page. */
export function partsOf(page: string): readonly Part[] {
  return page
    .split(/^```sh\n/m)
    .slice(1)
    .map((part) => {
      const [commands = '', ...rest] = part.split(/^```\n/m);
      const after = rest.join('```\n');
      const texts = [...after.matchAll(/^```text\n([\s\S]*?)(?=^```|$(?![\s\S]))/gm)].map(([, one = '']) => one);
      return { commands, prose: after, expected: texts.join('').split('\n').filter(Boolean) };
    });
}

/** Fails where an output does not hold the lines in their order. */
export function expectLines(output: string, expected: readonly string[]): void {
  let rest = output;
  for (const line of expected) {
    const at = rest.indexOf(line.trim());
    expect(at, `${line} in ${rest}`).toBeGreaterThanOrEqual(0);
    rest = rest.slice(at + line.trim().length);
  }
}

/** A script that goes on where the one before it in a folder ended: with its variables, functions and folder. */
export function continued(commands: string, place: string): string {
  const kept = `${place}/environment`;
  return `[ ! -e '${kept}' ] || . '${kept}'\n${commands}\n{ export -p; declare -f; printf 'cd %q\\n' "$PWD"; } > '${kept}'`;
}

/** Ends the program that a page started in the background, by the variable that the page keeps its number in. */
export function endOf(place: string, variable: string): void {
  const kept = join(place, 'environment');
  const [, found] = new RegExp(`${variable}="(\\d+)"`).exec(existsSync(kept) ? readFileSync(kept, 'utf8') : '') ?? [];
  try {
    if (found !== undefined) process.kill(Number(found));
  } catch {
    // The page ended it.
  }
}
