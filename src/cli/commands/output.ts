import { readStateOf } from '../../operate/addressed.ts';
import { chooseOutputs, evaluateOutputs, requireSecrets } from '../../operate/outputs.ts';
import { counted } from '../../render/lines.ts';
import { outputsJson, renderOutput, renderOutputs } from '../../render/outputs.ts';
import { connect } from '../connect.ts';
import { loadManifest, loadWithSecrets } from '../load.ts';
import { openStore } from '../open-store.ts';
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
    const names = chooseOutputs([...manifest.outputs.keys()], name);
    const state = await readStateOf(manifest.settings.project, openStore(manifest.settings, run));
    const connection = await connect(manifest.settings, { options, redactor, terminal, purpose: 'output' });
    try {
      const outputs = await evaluateOutputs({ client: connection.world.client, manifest, state, names });
      const showsSecrets = flags.showSecrets === true;
      if (showsSecrets) requireSecrets(outputs);
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
