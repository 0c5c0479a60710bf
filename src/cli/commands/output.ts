import { serveRemembered } from '../../observe/discover.ts';
import {
  type OutputValue,
  chooseOutputs,
  evaluateOutputs,
  requireSecrets,
  requireShown,
} from '../../operate/read-outputs.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { targetOf } from '../../project/target.ts';
import { type Formats, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { counted } from '../../render/fold-lines.ts';
import { outputsJson, renderOutput, renderOutputs } from '../../render/output-views.ts';
import { defineCommand } from '../command.ts';
import { loadFor, readState, withConnection } from '../connect.ts';
import { requireRaw, usage } from '../settle-options.ts';

/** Prints what `output` reports. */
interface OutputView extends View {
  /** Prints one output by itself, as scripts take it. */
  readonly output: (output: OutputValue, showsSecrets: boolean) => void;
  /** The same without escapes; undefined: a format in which no character can do harm. */
  readonly raw: OutputView['output'] | undefined;
  readonly outputs: (outputs: readonly OutputValue[], showsSecrets: boolean) => void;
}

const formats: Formats<OutputView> = {
  text: (screen) => ({
    ...textView(screen),
    output: (output, showsSecrets) => screen.out(renderOutput(output, showsSecrets)),
    raw: (output, showsSecrets) => screen.raw(renderOutput(output, showsSecrets)),
    outputs: (outputs, showsSecrets) => {
      screen.out(renderOutputs(outputs, showsSecrets));
      if (outputs.length === 0) screen.err('The manifest declares no outputs.\n');
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    output: (output, showsSecrets) => printJson(screen, outputsJson([output], showsSecrets)),
    raw: undefined,
    outputs: (outputs, showsSecrets) => printJson(screen, outputsJson(outputs, showsSecrets)),
  }),
};

/** Prints the outputs of the manifest, or one of them. Sends GETs only. */
export const command = defineCommand({
  arguments: { '[output]': 'name of one output: print only its value' },
  options: {
    '--show-secrets': 'print values that contain a secret',
    '--raw': 'print the value unchanged, also characters that a terminal obeys',
  },
  notes: `In the manifest:
  outputs:
    db_host: \${ref:production.postgres.main.host}`,
  examples: ['trueup output', 'psql -h "$(trueup output db_host)"', 'trueup output --format json | jq .outputs'],
  formats,
  execute: async (run, view, { args: [name], flags }) => {
    const { options, terminal } = run;
    if (flags.raw === true && name === undefined) throw usage('--raw needs the name of one output');
    const print = flags.raw === true ? requireRaw(view.raw) : view.output;
    const showsSecrets = flags.showSecrets === true;
    // What is hidden need not be known.
    const { manifest } = await loadFor(run, showsSecrets ? loadWithSecrets : loadManifest);
    const names = chooseOutputs([...manifest.outputs.keys()], name);
    if (name !== undefined && !showsSecrets) requireShown(name, manifest.outputs.get(name)?.isSecret === true);
    const target = targetOf(manifest.settings, options);
    const state = await readState(target, options);
    return withConnection(run, manifest.settings, { purpose: 'output' }, async (connection) => {
      serveRemembered(connection.client, state);
      const outputs = await evaluateOutputs({ ...connection, manifest, state, names });
      const needed = outputs.map(({ name: of, missing }) => ({ name: `the output ${of}`, missing }));
      if (showsSecrets) requireSecrets(needed, manifest.howToGive);
      const [only] = outputs;
      if (name !== undefined && !showsSecrets) requireShown(name, only?.isSensitive === true);
      if (name !== undefined && only !== undefined) print(only, showsSecrets);
      else view.outputs(outputs, showsSecrets);
      const hidden = showsSecrets ? 0 : outputs.filter(({ isSensitive }) => isSensitive).length;
      if (hidden > 0)
        terminal.err(`${counted(hidden, 'value')} redacted; --show-secrets shows ${hidden === 1 ? 'it' : 'them'}.\n`);
      return 'done';
    });
  },
});
