import { serveRemembered } from '../../observe/capabilities.ts';
import { readStateOf } from '../../operate/addressed.ts';
import type { Question } from '../../operate/evaluate.ts';
import { evaluateQuestion, outputsInState, questionOf, referring } from '../../operate/evaluate.ts';
import { readReferences } from '../../operate/outputs.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { resolve } from '../../manifest/wanted.ts';
import type { Outputs } from '../../manifest/wanted.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { openStore } from '../../project/open-store.ts';
import { targetOf } from '../../project/target.ts';
import type { EvalView } from '../../render/formats/eval.ts';
import { evalFormats } from '../../render/formats/eval.ts';
import { usage } from '../../diagnostics/usage.ts';
import type { Command, Run } from '../command.ts';
import { connect } from '../connect.ts';

/** The options of `eval`. */
interface EvalFlags {
  /** The address of the block that an expression is evaluated in. */
  readonly in?: string;
  readonly showSecrets?: true;
}

/**
 * Prints the value of an expression, or what the manifest has at a path. Sends GETs, and only for what the state does not
 * know.
 */
export function evalCommand(written: string, flags: EvalFlags): Command<EvalView> {
  return {
    formats: evalFormats,
    execute: async (run, view) => {
      const { options, terminal } = run;
      const showsSecrets = flags.showSecrets === true;
      const freeText = written.includes('${') ? { text: written, within: flags.in } : undefined;
      if (freeText === undefined && flags.in !== undefined)
        throw usage('--in goes with an expression', 'Leave it out: an address of the manifest says where it is.');
      // What is hidden need not be known.
      const { manifest, warnings } = showsSecrets
        ? await loadWithSecrets(options, { freeText })
        : await loadManifest(options, { freeText });
      run.warn(warnings);
      const question = questionOf(written, manifest);
      const { inState, onPlatform } = await findOutputs(question, manifest, run);
      // They are texts of the platform.
      const shown = (outputs: Outputs): Outputs => {
        if (showsSecrets) return outputs;
        return (reference) => {
          const text = outputs(reference);
          return text === undefined ? undefined : options.redactor.redact(text);
        };
      };
      const result = evaluateQuestion(question, {
        inState: shown(inState),
        onPlatform: shown(onPlatform),
        showsSecrets,
      });
      view.evaluated(result);
      if (result.isSensitive && !showsSecrets) terminal.err('A part is redacted; --show-secrets shows it.\n');
      return 'done';
    },
  };
}

/** Reads what a question refers to: from the state, and from the platform only where the state does not have all of it. */
async function findOutputs(
  question: Question,
  manifest: Manifest,
  run: Run,
): Promise<{ readonly inState: Outputs; readonly onPlatform: Outputs }> {
  const { options, terminal } = run;
  const nothing: Outputs = () => undefined;
  const named = referring(question);
  if (named.length === 0) return { inState: nothing, onPlatform: nothing };
  const target = targetOf(manifest.settings, options);
  const state = await readStateOf(target.project, openStore(target.state, options));
  const inState = outputsInState(state);
  const open = named.filter(({ wanted }) => resolve({ ...wanted, missing: [] }, inState).is === 'pending');
  if (open.length === 0) return { inState, onPlatform: nothing };
  const connection = await connect(manifest.settings, { options, terminal, purpose: 'eval' });
  try {
    serveRemembered(connection.client, state);
    return { inState, onPlatform: await readReferences({ ...connection, manifest, state }, open) };
  } finally {
    await connection.close();
  }
}
