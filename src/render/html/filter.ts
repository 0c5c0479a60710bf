import { type Markup, markup } from '../markup.ts';

/** A choice of the filter: its values with the words for them, and the number of entries that have each. */
export interface Choice {
  /** The data attribute that the entries have. */
  readonly name: 'action' | 'kind' | 'within' | 'result' | 'status' | 'finding';
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly words: string; readonly count: number }[];
}

/** The filter of a page. The script shows it; without the script it stays out of sight. */
export function renderFilter(choices: readonly Choice[], noun: string): Markup {
  const several = choices.filter(({ values }) => values.length > 1);
  const chips = several.filter(({ name }) => isChips(name));
  const menus = several.filter(({ name }) => !isChips(name));
  return markup`<form class="filter" role="search" aria-label="Filter" data-noun="${noun}" hidden>
<div class="words"><label for="words">Filter</label><input id="words" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" placeholder="address, field or value"></div>
${menus.map(
  ({ name, label, values }) =>
    markup`<div><label for="by-${name}">${label}</label><select id="by-${name}" data-by="${name}"><option value="*">all</option>${values.map(({ value, words, count }) => markup`<option value="${value}">${words} (${count})</option>`)}</select></div>`,
)}
<div class="buttons"><button type="button" data-do="open">Open all</button><button type="button" data-do="close">Close all</button><button type="reset">Reset</button></div>
${chips.map(
  ({ name, label, values }) =>
    markup`<fieldset class="chips"><legend class="hidden">${label}</legend>${values.map(({ value, words, count }) => markup`<label class="chip ${value}"><input type="checkbox" data-by="${name}" value="${value}" checked><span>${words} <b>${count}</b></span></label>`)}</fieldset>`,
)}
<p class="found" role="status" aria-live="polite"></p>
</form>`;
}

function isChips(name: Choice['name']): boolean {
  return name === 'action' || name === 'status';
}

/** The choices of a kind and of an environment. */
export function placeChoices(entries: readonly { readonly kind: string; readonly environment: string }[]): Choice[] {
  const within = entries.map(({ environment }) => environment);
  return [
    { name: 'kind', label: 'Kind', values: countValues(entries.map(({ kind }) => kind)) },
    {
      name: 'within',
      label: 'Environment',
      values: countValues(within, (name) => (name === '' ? 'outside environments' : name)),
    },
  ];
}

/** The values of entries with their numbers, in the order in which they come. */
export function countValues(
  values: readonly string[],
  words: (value: string) => string = (value) => value,
): Choice['values'] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, words: words(value), count }));
}
