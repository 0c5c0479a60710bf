import { join } from 'node:path';
import { closest } from '../../diagnostics/closest.ts';
import { usage } from '../../diagnostics/usage.ts';
import { addressMeant, blockAddress } from '../../kind/address.ts';
import type { LineOrigin } from '../../manifest/git-blame.ts';
import { lineOrigin } from '../../manifest/git-blame.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { PartOfManifest } from '../../manifest/value-at.ts';
import { findPart } from '../../manifest/value-at.ts';
import type { Plan } from '../../plan/action.ts';
import type { ExplainedAddress } from '../../plan/explain.ts';
import { actionsAt, explainPart, explainRemoved } from '../../plan/explain.ts';
import { explainedDocument } from '../../documents/plan.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { plan } from '../../reconcile.ts';
import type { ExplainView } from '../../render/formats/explain.ts';
import type { Run } from '../command.ts';
import { connect } from '../connect.ts';

/**
 * Explains an address: where it is declared, what the next plan does there and with which requests, and who changed its line
 * last. Sends GETs only, and with `isOffline` nothing.
 *
 * @throws {Stop} `usage`, when there is nothing at the address; and as the loading of a manifest and a plan do
 */
export async function explainAddress(
  asked: string,
  { run, view, isOffline }: { readonly run: Run; readonly view: ExplainView; readonly isOffline: boolean },
): Promise<void> {
  const { options } = run;
  const written = addressMeant(asked, options.kinds);
  const { manifest, warnings } = await (isOffline ? loadManifest : loadWithSecrets)(options);
  run.warn(warnings);
  const part = findPart(written, manifest.resources);
  const known = manifest.resources.map(({ address }) => address);
  const isDeclared = part !== undefined && (part.path.length === 0 || part.values.length > 0);
  if (isOffline) {
    if (!isDeclared) throw nothingAt(written, known);
    const explained = explainPart(part, manifest.resources);
    view.address({ explained, origin: await originOf(explained, manifest, run) });
    return;
  }
  const { made, reads } = await makePlan(manifest, run);
  const explained = isDeclared ? explainPart(part, manifest.resources) : explainRemoved(written, made.actions);
  if (explained === undefined) {
    const removed = made.actions.map(({ address }) => blockAddress(address));
    throw nothingAt(written, [...new Set([...known, ...removed])]);
  }
  const actions = actionsAt(explained, fieldsOf(part), made.actions);
  const diagnostics = made.diagnostics.filter(({ address }) => address === explained.address);
  const planned = explainedDocument(made, { actions, diagnostics, reads });
  view.address({ explained, origin: await originOf(explained, manifest, run), planned });
}

function fieldsOf(part: PartOfManifest | undefined): ReadonlySet<string> {
  return new Set(part?.values.map(({ attribute }) => attribute.field));
}

function nothingAt(written: string, known: readonly string[]) {
  const guess = closest(written, known);
  const remedy = guess === undefined ? 'trueup graph lists the addresses.' : `Did you mean ${guess}?`;
  return usage(`there is nothing at ${written}`, remedy);
}

async function makePlan(
  manifest: Manifest,
  { options, terminal }: Run,
): Promise<{ readonly made: Plan; readonly reads: number }> {
  const connection = await connect(manifest.settings, { options, terminal, purpose: 'explain' });
  try {
    const made = await plan(manifest, connection);
    return { made, reads: connection.client.counts.reads };
  } finally {
    await connection.close();
  }
}

/** Where the line of an address comes from, without secrets. */
async function originOf(
  { position }: ExplainedAddress,
  { texts }: Manifest,
  { options }: Run,
): Promise<LineOrigin | undefined> {
  const text = position === undefined ? undefined : texts.get(position.file);
  if (position === undefined || text === undefined) return undefined;
  const origin = await lineOrigin(join(options.folder, position.file), text, position.line);
  if (origin?.is !== 'committed') return origin;
  const { redactor } = options;
  return { ...origin, author: redactor.redact(origin.author), subject: redactor.redact(origin.subject) };
}
