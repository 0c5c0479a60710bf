/**
 * What the pages of the controller add to the script: they show how a run goes on while it does. Without it they are loaded again
 * every few seconds.
 */

/** The rows of actions that changed, by their ids, and the number of actions that are over. */
interface Change {
  readonly words: string;
  readonly over: number;
  readonly rows: readonly (readonly [id: string, row: string])[];
}

const live = document.querySelector<HTMLElement>('#live');
const words = document.querySelector('#live-words');

if (live !== null) {
  const events = new EventSource(live.dataset['events'] ?? '');
  const say = (seen: string): void => {
    if (words !== null && words.textContent !== seen) words.textContent = seen;
  };
  // The server escaped every foreign text of the tree and of its rows.
  events.addEventListener('whole', ({ data }: MessageEvent<string>) => {
    const seen = JSON.parse(data) as { readonly words: string; readonly tree: string };
    live.innerHTML = seen.tree;
    say(seen.words);
  });
  events.addEventListener('change', ({ data }: MessageEvent<string>) => {
    const seen = JSON.parse(data) as Change;
    for (const [id, row] of seen.rows) {
      const former = document.querySelector(`#${id}`);
      if (former !== null) former.outerHTML = row;
    }
    const bar = live.querySelector('progress');
    if (bar !== null) bar.value = seen.over;
    say(seen.words);
  });
  events.addEventListener('end', () => {
    events.close();
    location.reload();
  });
}
