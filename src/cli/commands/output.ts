import { serveRemembered } from '../../observe/capabilities.ts';
import { readStateOf } from '../../operate/addressed.ts';
import { chooseOutputs, evaluateOutputs, requireSecrets, requireShown } from '../../operate/outputs.ts';
import type { OutputView } from '../../render/formats/output.ts';
import { outputFormats } from '../../render/formats/output.ts';
import { counted } from '../../render/lines.ts';
import type { Command } from '../command.ts';
import { connect } from '../connect.ts';
import { requireRaw, usage } from '../options.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { openStore } from '../../project/open-store.ts';
import { targetOf } from '../../project/target.ts';

/** Prints the outputs of the manifest, or one of them. Sends GETs only. */
export function outputCommand(
  name: string | undefined,
  flags: { readonly showSecrets?: true; readonly raw?: true },
): Command<OutputView> {
  return {
    formats: outputFormats,
    execute: async (run, view) => {
      const { options, terminal } = run;
      if (flags.raw === true && name === undefined) throw usage('--raw needs the name of one output');
      const print = flags.raw === true ? requireRaw(view.raw) : view.output;
      // What is hidden need not be known.
      const load = flags.showSecrets === true ? loadWithSecrets : loadManifest;
      const { manifest, warnings } = await load(options);
      run.warn(warnings);
      const names = chooseOutputs([...manifest.outputs.keys()], name);
      if (name !== undefined && flags.showSecrets !== true) requireShown(manifest.outputs, name);
      const target = targetOf(manifest.settings, options);
      const state = await readStateOf(target.project, openStore(target.state, options));
      const connection = await connect(manifest.settings, { options, terminal, purpose: 'output' });
      try {
        serveRemembered(connection.client, state);
        const outputs = await evaluateOutputs({ ...connection, manifest, state, names });
        const showsSecrets = flags.showSecrets === true;
        if (showsSecrets) requireSecrets(outputs);
        const [only] = outputs;
        if (name !== undefined && only !== undefined) print(only, showsSecrets);
        else view.outputs(outputs, showsSecrets);
        const hidden = showsSecrets ? 0 : outputs.filter(({ isSensitive }) => isSensitive).length;
        if (hidden > 0)
          terminal.err(`${counted(hidden, 'value')} redacted; --show-secrets shows ${hidden === 1 ? 'it' : 'them'}.\n`);
        return 'done';
      } finally {
        await connection.close();
      }
    },
  };
}
