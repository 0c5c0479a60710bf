import { maskedText } from '../../manifest/quote.ts';
import { adoptDrift } from '../../project/adopt-drift.ts';
import { refuseWrites } from '../../project/drift.ts';
import { loadManifest } from '../../project/load.ts';
import type { DriftAdoptView } from '../../render/formats/drift-adopt.ts';
import { driftAdoptFormats } from '../../render/formats/drift-adopt.ts';
import { maskedChanges } from '../../render/hunks.ts';
import { maskText } from '../../secrets/looks-secret.ts';
import type { Clock } from '../../state/clock.ts';
import { systemClock } from '../../state/clock.ts';
import type { Command } from '../command.ts';
import { connect } from '../connect.ts';
import { usage } from '../options.ts';

/** The options of `drift adopt`. */
interface AdoptFlags {
  readonly field?: string;
  readonly all?: true;
  readonly dryRun?: true;
}

/** Writes what the platform has into the manifest. Sends GETs only. */
export function driftAdoptCommand(
  subjects: readonly string[],
  flags: AdoptFlags,
  clock: Pick<Clock, 'wall'> = systemClock,
): Command<DriftAdoptView> {
  return {
    formats: driftAdoptFormats,
    execute: async (run, view) => {
      const { options, terminal } = run;
      const { field, all, dryRun } = flags;
      checkSubjects(subjects, flags);
      const { manifest, warnings } = await loadManifest(options);
      run.warn(warnings);
      const about = { options, terminal, purpose: 'drift adopt', mayWrite: refuseWrites };
      const connection = await connect(manifest.settings, about);
      try {
        const request = { subjects, field, isAll: all === true, writes: dryRun !== true };
        const result = await adoptDrift(manifest, connection, { options, now: clock.wall(), request });
        // What only the platform has shows no more here than in the list of what was adopted.
        const hidden = result.adopted.flatMap(({ finding: { platform, path = '' } }) =>
          platform?.is === 'hidden' ? (/[^.[\]"]+(?="?\]?$)/.exec(path) ?? []) : [],
        );
        const ofUser = manifest.resources.flatMap(({ privateKeys: own }) => [...(own ?? [])]);
        const privateKeys = new Set([...ofUser, ...hidden]);
        const shown = (path: string, text: string) =>
          manifest.texts.has(path)
            ? maskedText(text.replace(/^\uFEFF/, ''), options.kinds, privateKeys)
            : maskText(text, { privateKeys });
        view.adopted({
          ...result,
          differences: result.files.map(({ path, before, after }) => {
            const texts = [shown(path, before), shown(path, after)] as const;
            return { path, before: texts[0], after: texts[1], masked: maskedChanges([before, after], texts) };
          }),
        });
        return result.left.length > 0 ? 'failed' : 'done';
      } finally {
        await connection.close();
      }
    },
  };
}

/** @throws {Stop} `usage`, when nothing says what is adopted, or too much */
function checkSubjects(subjects: readonly string[], { field, all }: AdoptFlags): void {
  if (all === true && (subjects.length > 0 || field !== undefined)) {
    throw usage('--all takes neither addresses nor --field', 'Leave one of them out.');
  }
  if (all !== true && subjects.length === 0) {
    throw usage('no address says what to adopt', 'Name addresses as trueup drift prints them, or write --all.');
  }
  if (field !== undefined && subjects.length > 1)
    throw usage('--field takes one address', 'Adopt one after the other.');
}
