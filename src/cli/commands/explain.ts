import { closest } from '../../diagnostics/closest.ts';
import type { Code } from '../../diagnostics/codes.ts';
import { codes } from '../../diagnostics/codes.ts';
import { usage } from '../../diagnostics/usage.ts';
import { readPage } from '../../project/version.ts';
import type { ExplainView } from '../../render/formats/explain.ts';
import { explainFormats } from '../../render/formats/explain.ts';
import type { Command } from '../command.ts';

/** Prints the page of a code of errors, warnings and notes. */
export function explainCommand(written: string): Command<ExplainView> {
  return {
    formats: explainFormats,
    execute: (_run, view) => {
      const code = findCode(written);
      const page = readPage(`diagnostics/${code}.md`) ?? '';
      const examples = [...page.matchAll(/^```\w+\n(.*?)\n```$/gms)].map(([, example = '']) => example);
      view.explanation({ code, examples });
      return Promise.resolve('done');
    },
  };
}

/** The code, also from `error[code]`. @throws {Stop} `usage`, when there is none of that name. */
function findCode(written: string): Code {
  const name = /^\w+\[(.*)\]$/.exec(written)?.[1] ?? written;
  if (isCode(name)) return name;
  const guess = closest(name, Object.keys(codes));
  const remedy = guess === undefined ? 'docs/diagnostics.md lists all codes.' : `Did you mean ${guess}?`;
  throw usage(`there is no code ${name}`, remedy);
}

function isCode(name: string): name is Code {
  return Object.hasOwn(codes, name);
}
