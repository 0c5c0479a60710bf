import * as z from 'zod';
import { planDocument } from './documents.ts';
import type { SavedView } from './saved-view.ts';

/** Reads the text of a view; undefined when another version of Trueup wrote another form. */
export function readView(text: string): SavedView | undefined {
  const content = JSON.parse(text) as SavedForm;
  if (!schema.safeParse(content).success) return undefined;
  const { plan, ...view } = content;
  const { actions, saved, ...rest } = plan;
  // Its form was checked, and its words are those of the version that wrote it.
  return {
    ...view,
    plan: { ...rest, actions: actions.map(readAction), saved: saved ? {} : undefined },
  } as unknown as SavedView;
}

function readAction({ kind, teardown, steps, attributes, service, ...rest }: SavedForm['plan']['actions'][number]) {
  const ignored = { decision: { do: 'nothing', settled: false, ignored: true } } as const;
  return {
    ...rest,
    kind: { kind },
    teardown: Array.from({ length: teardown }),
    steps: Array.from({ length: steps }),
    attributes: Array.from({ length: attributes }, () => ignored),
    ...(service ? { service: { isLeft: true } } : {}),
  };
}

const count = z.number().int().min(0).max(1_000_000);
const action = planDocument.shape.actions.element;

const schema = z.object({
  plan: z.object({
    actions: z.array(
      action.extend({
        createsBeforeDestroy: z.boolean(),
        isOrdered: z.literal(true).optional(),
        isLeftOut: z.literal(true).optional(),
        isAsked: z.literal(true).optional(),
        comesWithParent: z.literal(true).optional(),
        goesWithParent: z.literal(true).optional(),
        teardown: count,
        steps: count,
        attributes: count,
        service: z.boolean(),
      }),
    ),
    destroys: z.literal(true).optional(),
    narrowed: planDocument.shape.narrowed,
    saved: z.boolean(),
    unmanaged: count.optional(),
    diagnostics: planDocument.shape.diagnostics,
  }),
  counts: planDocument.shape.requests,
  about: planDocument
    .pick({ platform: true, project: true, state: true, commit: true })
    .required({ project: true, state: true })
    .optional(),
  warnings: planDocument.shape.diagnostics,
});

type SavedForm = z.output<typeof schema>;
