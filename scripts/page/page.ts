/**
 * The script of every page: filter, folding, and what is near a box of the drawing. Pages are complete without it.
 * `npm run generate` puts it into src/render/html/assets.ts.
 */

const all = <T extends Element>(selector: string, within: ParentNode = document): T[] => [
  ...within.querySelectorAll<T>(selector),
];

const entries = all<HTMLElement>('.entry');
const groups = all<HTMLDetailsElement>('.group');
const form = document.querySelector<HTMLFormElement>('.filter');

/** Groups with a match that a search opens; more stay folded, with their matches in them. */
const mostOpened = 60;

/** The texts of the entries in lower case, read when something is searched for first. */
let texts: ReadonlyMap<HTMLElement, string> | undefined;

function textOf(entry: HTMLElement): string {
  texts ??= new Map(
    entries.map((one) => {
      const group = one.closest('.group')?.querySelector('summary')?.textContent ?? '';
      return [one, `${group} ${one.textContent}`.toLowerCase()];
    }),
  );
  return texts.get(entry) ?? '';
}

/** The values that the filter lets through, by the name of their attribute. */
function chosen(of: HTMLFormElement): Map<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const box of all<HTMLInputElement>('input[data-by]', of)) {
    const values = found.get(box.dataset['by'] ?? '') ?? new Set();
    if (box.checked) values.add(box.value);
    found.set(box.dataset['by'] ?? '', values);
  }
  for (const menu of all<HTMLSelectElement>('select[data-by]', of))
    if (menu.value !== '*') found.set(menu.dataset['by'] ?? '', new Set([menu.value]));
  return found;
}

function filter(of: HTMLFormElement): void {
  const words = (of.querySelector<HTMLInputElement>('#words')?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const by = [...chosen(of)];
  let shown = 0;
  for (const entry of entries) {
    const isMatch =
      by.every(([name, values]) => values.has(entry.getAttribute(`data-${name}`) ?? '')) &&
      words.every((word) => textOf(entry).includes(word));
    entry.hidden = !isMatch;
    if (isMatch) shown += 1;
  }
  const isWhole = shown === entries.length;
  const left = groups.filter((group) => {
    group.hidden = group.querySelector('.entry:not([hidden])') === null;
    return !group.hidden;
  });
  if (words.length > 0 && left.length <= mostOpened) for (const group of left) group.open = true;
  const visible = new Set(entries.filter(({ hidden }) => !hidden).map(({ id }) => `#${id}`));
  const known = new Set(entries.map(({ id }) => `#${id}`));
  for (const link of all<SVGAElement>('svg a')) {
    const target = link.getAttribute('href') ?? '';
    link.querySelector('.node')?.classList.toggle('dim', !isWhole && !(known.has(target) && visible.has(target)));
  }
  for (const item of all<HTMLElement>('nav ol ol li')) {
    const target = item.querySelector('a')?.getAttribute('href')?.slice(1) ?? '';
    item.hidden = document.querySelector<HTMLElement>(`#${target}`)?.hidden === true;
  }
  const found = of.querySelector('.found');
  const noun = of.dataset['noun'] ?? 'entry';
  if (found !== null) found.textContent = `${shown} of ${entries.length} ${noun}${entries.length === 1 ? '' : 's'}`;
}

/** Shows what an address leads to, whatever the filter says and however it is folded. */
function reveal(): void {
  const target =
    location.hash === '' ? null : document.querySelector<HTMLElement>(`[id="${CSS.escape(location.hash.slice(1))}"]`);
  if (target === null) return;
  if (target.closest('[hidden]') !== null && form !== null) {
    form.reset();
    filter(form);
  }
  for (let at = target.closest('details'); at !== null; at = at.parentElement?.closest('details') ?? null)
    at.open = true;
  target.scrollIntoView();
}

/** Marks the lines of a box while it is pointed at or has the focus. */
function mark(event: Event): void {
  const drawing = event.currentTarget as SVGSVGElement;
  const node =
    (event.target as Element).closest('a')?.querySelector('.node') ?? (event.target as Element).closest('.node');
  const number = node?.getAttribute('data-node') ?? undefined;
  for (const edge of all('.edge', drawing)) {
    const isNear = edge.getAttribute('data-from') === number || edge.getAttribute('data-to') === number;
    edge.classList.toggle('near', number !== undefined && isNear);
  }
}

if (form !== null) {
  const of = form;
  of.hidden = false;
  const update = (): void => filter(of);
  of.addEventListener('input', update);
  of.addEventListener('change', update);
  of.addEventListener('submit', (event) => event.preventDefault());
  // The fields are reset when the event is over.
  of.addEventListener('reset', () => requestAnimationFrame(update));
  for (const button of all<HTMLButtonElement>('[data-do]', of))
    button.addEventListener('click', () => {
      for (const group of groups) if (!group.hidden) group.open = button.dataset['do'] === 'open';
    });
  document.addEventListener('keydown', (event) => {
    const words = of.querySelector<HTMLInputElement>('#words');
    const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'search';
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      words?.focus();
    } else if (event.key === 'Escape' && isTyping) {
      of.reset();
    }
  });
  update();
}
for (const drawing of all<SVGSVGElement>('svg'))
  for (const name of ['pointerover', 'pointerleave', 'focusin', 'focusout']) drawing.addEventListener(name, mark);
addEventListener('hashchange', reveal);
reveal();
