import { usage } from '../../diagnostics/usage.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { type Outputs, changed, noOutputs, resolve } from '../../manifest/wanted.ts';
import { serveRemembered } from '../../observe/discover.ts';
import {
  type Evaluated,
  type Question,
  evaluateQuestion,
  outputsInState,
  questionOf,
  referring,
} from '../../operate/eval-text.ts';
import { readReferences } from '../../operate/read-outputs.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { targetOf } from '../../project/target.ts';
import type { EvaluationDocument } from '../../render/document-schemas.ts';
import { printable } from '../../render/printable.ts';
import { reportFormats } from '../../render/output-format.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor, readState, withConnection } from '../connect.ts';

/** As text, the value as JSON, so that its type shows; stderr says where references were read. */
const formats = reportFormats<Evaluated>({
  text: ({ value, references }, { out, err }) => {
    out(`${JSON.stringify(value, null, 2)}\n`);
    for (const { name, from } of references) err(`${printable(name)} is from the ${from}.\n`);
  },
  json: ({ value, isSensitive, references }): EvaluationDocument => ({
    format: 'trueup/evaluation',
    version: 1,
    value,
    sensitive: isSensitive,
    references,
  }),
});

/**
 * Prints the value of an expression, or what the manifest has at a path. Sends GETs, and only for what the state does not
 * know.
 */
export const command = defineCommand({
  arguments: {
    '<expression>': "a text with expressions, such as '${var:tag}', or a path: production.compose.shop.env.TAG",
  },
  options: {
    '--in <address>': 'evaluate the expression as a field of the resource at this address',
    '--show-secrets': 'print values that contain a secret',
  },
  notes: 'Only ${ref:…} may send requests: ids are read from the state, and all else with GETs. stderr says which.',
  examples: [
    "trueup eval '${var:tag}' --var tag=2025.11.3",
    "trueup eval 'http://${ref:production.postgres.main.host}:5432'",
    "trueup eval '${ref:postgres.main.host}' --in production.compose.shop",
    'trueup eval production.compose.shop.env.TAG',
    'trueup eval production.compose.shop --format json | jq .value.env',
  ],
  formats,
  execute: async (run, view, { args: [written = ''], flags }) => {
    const { options, terminal } = run;
    const showsSecrets = flags.showSecrets === true;
    const freeText = written.includes('${') ? { text: written, within: flags.in } : undefined;
    if (freeText === undefined && flags.in !== undefined)
      throw usage('--in goes with an expression', 'Leave it out: an address of the manifest says where it is.');
    // What is hidden need not be known.
    const { manifest } = await loadFor(run, showsSecrets ? loadWithSecrets : loadManifest, { freeText });
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
      howToGive: manifest.howToGive,
    });
    view.report(result);
    if (result.isSensitive && !showsSecrets) terminal.err('A part is redacted; --show-secrets shows it.\n');
    return 'done';
  },
});

/** Reads what a question refers to: from the state, and from the platform only where the state does not have all of it. */
async function findOutputs(
  question: Question,
  manifest: Manifest,
  run: Run,
): Promise<{ readonly inState: Outputs; readonly onPlatform: Outputs }> {
  const { options } = run;
  const named = referring(question);
  if (named.length === 0) return { inState: noOutputs, onPlatform: noOutputs };
  const target = targetOf(manifest.settings, options);
  const state = await readState(target, options);
  const inState = outputsInState(state);
  const open = named.filter(({ wanted }) => resolve(changed(wanted, { missing: [] }), inState).is === 'pending');
  if (open.length === 0) return { inState, onPlatform: noOutputs };
  return withConnection(run, manifest.settings, { purpose: 'eval' }, async (connection) => {
    serveRemembered(connection.client, state);
    return { inState, onPlatform: await readReferences({ ...connection, manifest, state }, open) };
  });
}
