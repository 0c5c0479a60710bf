import * as z from 'zod';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';
import { isIgnored } from '../plan/action.ts';
import { planDocument } from './documents.ts';
import type { PlanView } from './plan-text.ts';

/** What `plan` printed, as a plan file holds it: `show` prints the same, in every format, and cut short or in full. */
export interface SavedView extends Omit<PlanView, 'isFull' | 'allowed'> {
  /** Warnings of the manifest. */
  readonly warnings: readonly Diagnostic[];
}

/** The members of an action that are JSON already. */
const plain = [
  ...(['address', 'movedFrom', 'action', 'createsBeforeDestroy', 'id', 'parent', 'changes', 'notes'] as const),
  ...(['because', 'isOrdered', 'isLeftOut', 'isAsked', 'holds', 'dataAtRisk', 'protect'] as const),
  ...(['needsConsent', 'position', 'dependsOn', 'comesWithParent', 'goesWithParent'] as const),
];

/** The others, which are counted. A member that is missing in both does not compile. */
type Counted = Record<Exclude<keyof ShownAction, (typeof plain)[number]>, string | number | boolean>;

/** Writes a view as text, for a plan file. Of requests and of ignored fields it keeps the number. */
export function saveView({ plan, ...view }: SavedView): string {
  const { actions, destroys, narrowed, saved, unmanaged, diagnostics } = plan;
  const kept: Record<keyof ShownPlan, unknown> = {
    actions: actions.map(savedAction),
    destroys,
    narrowed,
    saved: saved !== undefined,
    unmanaged,
    diagnostics,
  };
  return JSON.stringify({ ...view, plan: kept });
}

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

function savedAction(action: ShownAction): object {
  const { kind, teardown, steps, attributes, service } = action;
  const counted: Counted = {
    kind: kind.kind,
    teardown: teardown.length,
    steps: steps.length,
    attributes: attributes.filter(isIgnored).length,
    service: service?.isLeft === true,
  };
  return { ...Object.fromEntries(plain.map((name) => [name, action[name]])), ...counted };
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
