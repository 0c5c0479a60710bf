import { profileOf, textIn } from '../../kind/profile.ts';
import { closest } from '../../diagnostics/closest.ts';
import type { Code } from '../../diagnostics/codes.ts';
import { codes } from '../../diagnostics/codes.ts';
import { Stop } from '../../diagnostics/diagnostic.ts';
import { usage } from '../../diagnostics/usage.ts';
import { addressParts } from '../../kind/address.ts';
import { declaredResources } from '../../project/load.ts';
import { readPage } from '../../project/version.ts';
import type { ExplainView } from '../../render/formats/explain.ts';
import { explainFormats } from '../../render/formats/explain.ts';
import type { Command, Run } from '../command.ts';
import { explainAddress } from './explain-address.ts';

/** Explains a code of errors, warnings and notes; or explains an address. */
export function explainCommand(written: string, flags: { readonly offline?: true }): Command<ExplainView> {
  return {
    formats: explainFormats,
    execute: async (run, view) => {
      const words = (text: string) => textIn(text, profileOf(run.options.kinds));
      const code = codeIn(written);
      if (code === undefined) {
        if (!(await mayBeAddress(written, run))) throw noCode(written);
        await explainAddress(written, { run, view, isOffline: flags.offline === true });
        return 'done';
      }
      const sections = (readPage('diagnostics.md') ?? '').split(/^## /m);
      const section = words(sections.find((one) => one.startsWith(`${code}\n`)) ?? '');
      const examples = [...section.matchAll(/^```\w+\n(.*?)\n```$/gms)].map(([, example = '']) => example);
      view.explanation({ code, examples });
      return 'done';
    },
  };
}

/** The code, also from `error[code]`; undefined when there is none of that name. */
function codeIn(written: string): Code | undefined {
  const name = /^\w+\[(.*)\]$/.exec(written)?.[1] ?? written;
  return isCode(name) ? name : undefined;
}

/** Whether a text is no mistyped code: an address of several parts, or one that the manifest declares. */
async function mayBeAddress(written: string, { options }: Run): Promise<boolean> {
  const parts = addressParts(written);
  if (parts === undefined || parts.length > 1) return parts !== undefined;
  try {
    return (await declaredResources(options)).some(({ address }) => address === parts[0]);
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
}

function noCode(written: string): Stop {
  const name = /^\w+\[(.*)\]$/.exec(written)?.[1] ?? written;
  const guess = closest(name, Object.keys(codes));
  const remedy = guess === undefined ? 'docs/diagnostics.md lists all codes.' : `Did you mean ${guess}?`;
  return usage(`there is no code ${name}`, remedy);
}

function isCode(name: string): name is Code {
  return Object.hasOwn(codes, name);
}
