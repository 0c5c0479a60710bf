import { documentOf } from '../support/documents.ts';
import type { Plan } from '../../src/plan/action.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import type { Style } from '../../src/render/style.ts';
import { plainStyle } from '../../src/render/style.ts';

/** A plan as text, without the legend and the line of counts. */
export function shown(plan: Plan, style: Partial<Style> = {}): string {
  const text = renderPlan(documentOf(plan), { ...plainStyle, ...style });
  return text
    .replace(/^Legend: .*\n(?:(?!Plan: ).*\n)*?(?=Plan: )/m, '')
    .replace(/\nplanned with 0 reads, 0 writes\n$/, '\n');
}

/** Marks the tones with words, so that a test can see them. */
export const toned: Pick<Style, 'paint'> = { paint: (tone, text) => `<${tone}>${text}</${tone}>` };
