import { join } from 'node:path';
import { didYouMean } from '../../diagnostics/closest.ts';
import { type Code, codes } from '../../diagnostics/codes.ts';
import { type Stop, unlessStopped } from '../../diagnostics/diagnostic.ts';
import { usage } from '../../diagnostics/usage.ts';
import { explainedDocument } from '../../documents/plan-document.ts';
import { addressParts } from '../../kind/address.ts';
import { resolveAddress } from '../../kind/aliases.ts';
import { type LineOrigin, lineOrigin } from '../../git/blame.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { hasLayers } from '../../manifest/layers.ts';
import { valueOrigins } from '../../manifest/value-origin.ts';
import { readingOf } from '../../project/pins.ts';
import { type PartOfManifest, findPart } from '../../manifest/value-at.ts';
import { shownAddress } from '../../plan/action.ts';
import { type ExplainedAddress, actionsAt, explainPart, explainRemoved } from '../../plan/explain-address.ts';
import { declaredResources, loadManifest, loadWithSecrets } from '../../project/load.ts';
import { readPage } from '../../project/version.ts';
import { plan } from '../../workflow/make-plan.ts';
import type { ExplanationDocument } from '../../render/document-schemas.ts';
import {
  type AboutAddress,
  type Explanation,
  addressJson,
  addressText,
  explanationText,
} from '../../render/explain-text.ts';
import { type ReportView, reportFormats } from '../../render/output-format.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor, withConnection } from '../connect.ts';

const formats = reportFormats<Explanation | AboutAddress>({
  text: (result, { out, outStyle }) =>
    out('code' in result ? explanationText(result, outStyle) : addressText(result, outStyle)),
  json: (result): ExplanationDocument | ReturnType<typeof addressJson> => {
    if (!('code' in result)) return addressJson(result);
    const { code, examples } = result;
    return { format: 'trueup/explanation', version: 1, code, ...codes[code], examples: [...examples] };
  },
});

/** Explains a code of errors, warnings and notes; or explains an address. */
export const command = defineCommand({
  arguments: { '<code-or-address>': 'the code in brackets, such as unknown-key; or an address, also of a field' },
  options: { '--offline': 'of an address: make no plan, and send nothing' },
  notes: `Of an address it prints the file and the line, the commit that changed the line last, what it needs and what needs it, and
what the next plan does there: each change with its cause, and the requests that apply would send. It sends GETs only.`,
  examples: [
    'trueup explain unknown-key',
    "trueup explain 'error[data-at-risk]'",
    'trueup explain production.compose.shop',
    'trueup explain production.compose.shop.env.TAG --format json',
    'trueup explain production.postgres.main --offline',
  ],
  formats,
  execute: async (run, view, { args: [written = ''], flags }) => {
    const code = codeIn(written);
    if (code === undefined) {
      if (!(await mayBeAddress(written, run))) throw noCode(written);
      await explainAddress(written, { run, view, isOffline: flags.offline === true });
      return 'done';
    }
    const sections = (readPage('diagnostics.md') ?? '').split(/^## /m);
    const section = sections.find((one) => one.startsWith(`${code}\n`)) ?? '';
    const examples = [...section.matchAll(/^```\w+\n(.*?)\n```$/gms)].map(([, example = '']) => example);
    view.report({ code, examples });
    return 'done';
  },
});

/** The code, also from `error[code]`; undefined when there is none of that name. */
function codeIn(written: string): Code | undefined {
  const name = /^\w+\[(.*)\]$/.exec(written)?.[1] ?? written;
  return isCode(name) ? name : undefined;
}

/** Whether a text is no mistyped code: an address of several parts, or one that the manifest declares. */
async function mayBeAddress(written: string, { options }: Run): Promise<boolean> {
  const parts = addressParts(written);
  if (parts === undefined || parts.length > 1) return parts !== undefined;
  const declared = await unlessStopped(declaredResources(options));
  return declared?.some(({ address }) => address === parts[0]) === true;
}

function noCode(written: string): Stop {
  const name = /^\w+\[(.*)\]$/.exec(written)?.[1] ?? written;
  const remedy = didYouMean(name, Object.keys(codes), 'docs/diagnostics.md lists all codes.');
  return usage(`there is no code ${name}`, remedy);
}

function isCode(name: string): name is Code {
  return Object.hasOwn(codes, name);
}

/**
 * Explains an address: where it is declared, what the next plan does there and with which requests, and who changed its line
 * last. Sends GETs only, and with `isOffline` nothing.
 *
 * @throws {Stop} `usage`, when there is nothing at the address; and as the loading of a manifest and a plan do
 */
async function explainAddress(
  asked: string,
  {
    run,
    view,
    isOffline,
  }: { readonly run: Run; readonly view: ReportView<Explanation | AboutAddress>; readonly isOffline: boolean },
): Promise<void> {
  const written = resolveAddress(asked);
  const { manifest } = await loadFor(run, isOffline ? loadManifest : loadWithSecrets);
  const part = findPart(written, manifest.resources);
  const known = manifest.resources.map(({ address }) => address);
  const given = { given: readingOf(run.options).given, valueFiles: run.options.valueFiles };
  const values = part && hasLayers(manifest) ? valueOrigins(part, { manifest, ...given }) : undefined;
  const isDeclared =
    part !== undefined && (part.path.length === 0 || part.values.length > 0 || (values ?? []).length > 0);
  if (isOffline) {
    if (!isDeclared) throw nothingAt(written, known);
    const explained = explainPart(part, manifest);
    view.report({ explained, origin: await originOf(explained, manifest, run), values });
    return;
  }
  const { made, reads } = await withConnection(run, manifest.settings, { purpose: 'explain' }, async (connection) => {
    const made = await plan(manifest, connection);
    return { made, reads: connection.client.counts.reads };
  });
  const explained = isDeclared ? explainPart(part, manifest) : explainRemoved(written, made.actions);
  if (explained === undefined) {
    const removed = made.actions.map(shownAddress);
    throw nothingAt(written, [...new Set([...known, ...removed])]);
  }
  const actions = actionsAt(explained, fieldsOf(part), made.actions);
  const diagnostics = made.diagnostics.filter(({ address }) => address === explained.address);
  const planned = explainedDocument(made, { actions, diagnostics, reads });
  view.report({ explained, origin: await originOf(explained, manifest, run), values, planned });
}

function fieldsOf(part: PartOfManifest | undefined): ReadonlySet<string> {
  return new Set(part?.values.map(({ attribute }) => attribute.field));
}

function nothingAt(written: string, known: readonly string[]) {
  return usage(`there is nothing at ${written}`, didYouMean(written, known, 'trueup graph lists the addresses.'));
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
