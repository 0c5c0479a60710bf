import { usage } from '../../diagnostics/usage.ts';
import { shellWord } from '../../diagnostics/shell-word.ts';
import { addressParts } from '../../kind/address.ts';
import type { Kind } from '../../kind/kind.ts';
import type { Addressed } from '../../operate/addressed.ts';
import { logRequest, readLog } from '../../operate/log-request.ts';
import { type Formats, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { logsJson, renderLog } from '../../render/log-views.ts';
import { defineCommand } from '../command.ts';
import { withObjects } from '../named-objects.ts';
import { readSince, requireRaw } from '../settle-options.ts';
import { id } from '../option-sets.ts';

/** Prints what `logs` reports. */
interface LogsView extends View {
  readonly log: (address: string, text: string) => void;
  /** Prints the log as the service wrote it; undefined: a format in which no character can do harm. */
  readonly raw: ((text: string) => void) | undefined;
}

const formats: Formats<LogsView> = {
  text: (screen) => ({
    ...textView(screen),
    log: (_address, text) => screen.out(renderLog(text, { keepsColours: false })),
    raw: (text) => screen.raw(renderLog(text, { keepsColours: true })),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    log: (address, text) => printJson(screen, logsJson(address, text)),
    raw: undefined,
  }),
};

/** Prints the log of a service, where the platform documents one. */
export const command = defineCommand({
  arguments: { '<address>': 'address of the resource, as in plans' },
  options: {
    ...id,
    '--tail <n>': 'last lines only: 1 to 10000; default: 100',
    '--since <time>': 'newer lines only: 30s, 15m, 1h30m, or all',
    '--search <text>': 'lines with this text only: letters, digits, space, ".", "_", "-"',
    '--deployment [id]': {
      about: 'log of its last deployment, or of the one with this id',
      read: readDeploymentId,
    },
    '--show-secrets': 'do not redact the secrets of the service',
    '--raw': 'print the log unchanged, also characters that a terminal obeys',
  },
  examples: [
    'trueup logs production.postgres.main',
    'trueup logs production.postgres.main --tail 20 --since 1h',
    'trueup logs production.compose.shop --deployment',
  ],
  formats,
  remembers: ({ service }) => service?.logs !== undefined || service?.deploymentLog !== undefined,
  execute: async (run, view, { args: [address = ''], flags }) => {
    const { kinds, redactor } = run.options;
    const raw = flags.raw === true ? requireRaw(view.raw) : undefined;
    const since = flags.since === undefined ? undefined : readSince(flags.since);
    const request = ([object]: readonly Addressed[], served: readonly Kind[]) => {
      if (object === undefined) throw new Error('an address was neither found nor refused');
      return logRequest(object, { ...flags, since }, served);
    };
    const named = { addresses: [address], givenId: flags.id, purpose: 'logs', check: request };
    return withObjects(run, named, async ({ client, objects, kinds: served, project }) => {
      const asked = request(objects, served);
      const showsSecrets = flags.showSecrets === true;
      const log = await readLog(client, asked, { addSecret: redactor.add, showsSecrets, kinds, project });
      if (raw === undefined) view.log(asked.object.address, log);
      else raw(log);
      return 'done';
    });
  },
});

/**
 * Reads the id of a deployment.
 *
 * @throws {Stop} `usage`, for an address: an option with a value takes the address that stands behind it.
 */
function readDeploymentId(value: string): string {
  if ((addressParts(value)?.length ?? 0) < 2) return value;
  const remedy = `Write the address first: trueup logs ${shellWord(value)} --deployment`;
  throw usage(`--deployment takes the id of a deployment, got the address ${value}`, remedy);
}
