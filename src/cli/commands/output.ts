import { closest } from '../../diagnostics/closest.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import type { OutputValue } from '../../observe/outputs.ts';
import { evaluateOutputs } from '../../observe/outputs.ts';
import { counted } from '../../render/lines.ts';
import { outputsJson, renderOutput, renderOutputs } from '../../render/outputs.ts';
import { howToGive } from '../../secrets/sources/env.ts';
import { readState } from '../addressed.ts';
import { connect } from '../connect.ts';
import { loadManifest, loadWithSecrets } from '../load.ts';
import { usage } from '../options.ts';
import type { Command } from '../run.ts';
import { printJson, printWarnings } from '../run.ts';

/** Prints the outputs of the manifest, or one of them by itself; sends nothing but GETs. */
export function outputCommand(name: string | undefined, flags: { readonly showSecrets?: true }): Command {
  return async (run) => {
    const { options, terminal, redactor } = run;
    // What is hidden need not be known.
    const load = flags.showSecrets === true ? loadWithSecrets : loadManifest;
    const { manifest, warnings } = await load(options, redactor);
    printWarnings(run, warnings);
    const names = chosen([...manifest.outputs.keys()], name);
    const state = await readState(options, manifest.settings);
    const connection = await connect(manifest.settings, { options, redactor, terminal, purpose: 'output' });
    try {
      const outputs = await evaluateOutputs({ client: connection.world.client, manifest, state, names });
      const showsSecrets = flags.showSecrets === true;
      if (showsSecrets) refuseMissing(outputs);
      const [only] = outputs;
      if (options.isJson) printJson(terminal, outputsJson(outputs, showsSecrets));
      else if (name !== undefined && only !== undefined) terminal.out(renderOutput(only, showsSecrets));
      else terminal.out(renderOutputs(outputs, showsSecrets));
      const hidden = showsSecrets ? 0 : outputs.filter(({ isSensitive }) => isSensitive).length;
      if (hidden > 0)
        terminal.err(`${counted(hidden, 'value')} hidden; --show-secrets shows ${hidden === 1 ? 'it' : 'them'}.\n`);
      if (names.length === 0 && !options.isJson) terminal.err('The manifest declares no outputs.\n');
      return 'done';
    } finally {
      await connection.close();
    }
  };
}

function chosen(declared: readonly string[], name: string | undefined): readonly string[] {
  if (name === undefined) return declared;
  if (declared.includes(name)) return [name];
  const guess = closest(name, declared);
  const others = declared.length === 0 ? 'The manifest declares none.' : `There is ${declared.join(', ')}.`;
  throw usage(`there is no output ${name}`, guess === undefined ? others : `Did you mean ${guess}?`);
}

/** A value with a hole in it is no value. */
function refuseMissing(outputs: readonly OutputValue[]): void {
  const problems = outputs.flatMap(({ name, missing }) =>
    missing.map((secret) =>
      diagnostic('secret-missing', `the output ${name} needs the secret ${secret}`, {
        remedy: howToGive([secret]),
      }),
    ),
  );
  if (problems.length > 0) throw new Stop('refused', problems);
}
