import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { Json } from '../../../src/formats/json.ts';
import { hows } from '../../support/random-commands.ts';

/**
 * A history as a document: everything that is done to a platform and to its manifest, one step after the other. It
 * needs no generator: whoever has it can read it, edit it and have it replayed.
 */

const json: z.ZodType<Json> = z.json();
/** What somebody does by hand. `<id of ADDRESS>` in the input is the id that the state has for an address. */
const act = { operation: z.string(), input: z.record(z.string(), json) };
const about = { about: z.array(z.string()).optional() };
const manifest = z.record(z.string(), json);
/** What goes wrong with some of the POSTs of a run, counted from 0. */
const faults = z
  .array(z.strictObject({ at: z.int().min(0), how: z.enum(hows), ms: z.int().min(0).default(0) }))
  .default([]);

const step = z.discriminatedUnion('do', [
  /** `isAsked`: a message of the run before said so, and that run goes on. */
  z.strictObject({ do: z.literal('by hand'), ...about, ...act, isAsked: z.boolean().default(false) }),
  /** One run of the engine; `meanwhile` is done by hand just before one of its requests, counted from 0. */
  z.strictObject({
    do: z.literal('apply'),
    ...about,
    manifest,
    faults,
    meanwhile: z.array(z.strictObject({ before: z.int().min(0), ...act })).default([]),
  }),
  z.strictObject({ do: z.literal('destroy'), ...about, manifest, faults }),
  /** Puts a plan into a file. */
  z.strictObject({ do: z.literal('plan'), ...about, manifest }),
  /** Applies the plan in the file. */
  z.strictObject({ do: z.literal('apply the plan'), ...about, manifest, faults }),
  /** What was begun is over: everything is as it was to be, and a plan finds nothing to do. */
  z.strictObject({ do: z.literal('expect the end'), ...about }),
  /** What was begun is left as it is, and may be half done. */
  z.strictObject({ do: z.literal('leave'), ...about }),
  /** Until no request of an earlier run can be carried out any more. */
  z.strictObject({ do: z.literal('wait'), ...about }),
  z.strictObject({ do: z.literal('lose the state'), ...about }),
  /** What `trueup state rebuild` does. */
  z.strictObject({ do: z.literal('rebuild the state'), ...about, manifest }),
  /** As if `protect: false` had been written everywhere and applied. */
  z.strictObject({ do: z.literal('lift protection'), ...about }),
  /** As if blocks had been removed, that been applied, and they been put back. */
  z.strictObject({ do: z.literal('forget'), ...about, addresses: z.array(z.string()) }),
]);
const history = z.strictObject({ trueupHistory: z.literal(1), steps: z.array(step) });

/** One step of a history. */
export type Step = z.infer<typeof step>;

/** The step of one kind. */
export type StepThat<D extends Step['do']> = Extract<Step, { do: D }>;

/** Reads the document of a history. */
export function readHistory(text: string): Step[] {
  return history.parse(parse(text)).steps;
}

/** The document of a history, with some words at its beginning. */
export function printHistory(steps: readonly Step[], words: string): string {
  const comment = words.split('\n').map((line) => `# ${line}`.trimEnd());
  const said = steps.map((one) =>
    Object.fromEntries(
      Object.entries(one).filter(([, value]) => value !== false && !(Array.isArray(value) && value.length === 0)),
    ),
  );
  return `${comment.join('\n')}\n${stringify({ trueupHistory: 1, steps: said }, { lineWidth: 0 })}`;
}
