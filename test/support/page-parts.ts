import { expect } from 'vitest';
import { imageOf } from './pipelines.ts';

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

/** The environment of the shell of a page: the program, and git without the settings of this machine. */
export function shellOfPage(program: string): Record<string, string> {
  const [name, email] = ['ops', 'ops@example.test'];
  return {
    ...imageOf(program),
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
}
