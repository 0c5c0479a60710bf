import { remembering } from '../api/remembering.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { adoptFindings, adoptable } from '../drift/adopt.ts';
import { driftDocument } from '../drift/drift-document.ts';
import { findDrift, refuseWrites } from '../drift/drift-run.ts';
import { defined } from '../formats/json.ts';
import { systemClock } from '../state/clock.ts';
import { type Drift, keepDrift } from './drift-handle.ts';
import { type Manifest, contentOf } from './manifest-handle.ts';
import { keepPlan } from './plan-handle.ts';
import { type DriftOptions, type Places, prepare, purposeOf, trueupCommand } from './run-session.ts';

/** What the files of a manifest took over from its platform. */
export interface Adoption {
  /** The comparison that was made before. */
  readonly drift: Drift;
  /** The fields that the files have now as the platform has them, by the addresses of their blocks. */
  readonly adopted: readonly { readonly address: string; readonly path?: string }[];
  /** Why others stay as they are, such as secrets, which are never written. */
  readonly left: readonly Diagnostic[];
  /** The files that were written, by their paths below the folder of the manifest, with `/`. */
  readonly files: readonly string[];
  /** Addresses of the services that the next apply deploys: nothing proves that what runs has these values. */
  readonly deploys: readonly string[];
}

/**
 * Writes what drifted and was not accepted into the files of a manifest, as `trueup drift adopt --all` does: comments, order and
 * quotes stay, and no secret is written. Sends GETs only, takes no lock, and remembers nothing.
 *
 * @throws {Stop} `refused`, when the files cannot have it, or other root files share them; and as `plan` does.
 */
export async function adopt(
  manifest: Manifest,
  places: Places = {},
  { now = systemClock.wall(), signal }: Omit<DriftOptions, 'remembers'> = {},
): Promise<Adoption> {
  const { opener, about } = prepare(manifest, places);
  const { manifest: read, folder, secrets } = contentOf(manifest);
  const connection = await opener.connect({ purpose: 'drift adopt', mayWrite: refuseWrites });
  try {
    const within = { ...connection, client: remembering(connection.client) };
    const found = await findDrift(read, within, { folder, now, remembers: false, ...defined({ signal }) });
    const known = await about(found.plan, connection);
    const shown = { drift: found, counts: known.counts, about: known.head, isFull: true, command: trueupCommand };
    const drift = keepDrift(driftDocument(shown), keepPlan(found.plan, purposeOf(manifest, {}), known));
    const findings = adoptable(found.findings);
    if (findings.length === 0) return { drift, adopted: [], left: [], files: [], deploys: [] };
    const { adopted, left, files, deploys } = await adoptFindings(read, within, {
      options: { ...folder, redactor: secrets.redactor() },
      now,
      request: { subjects: [], isAll: true, writes: true },
      plan: found.plan,
      findings,
    });
    return {
      drift,
      adopted: adopted.map(({ finding: { address = '', path } }) => ({ address, ...defined({ path }) })),
      left,
      files: files.map(({ path }) => path),
      deploys,
    };
  } finally {
    await connection.close();
  }
}
