/**
 * What the pages of the controller add to the script: they show how a run goes on while it does. Without it they are loaded again
 * every few seconds.
 */

const live = document.querySelector<HTMLElement>('#live');
const words = document.querySelector('#live-words');

if (live !== null) {
  const events = new EventSource(live.dataset['events'] ?? '');
  events.addEventListener('progress', ({ data }: MessageEvent<string>) => {
    const seen = JSON.parse(data) as { readonly words: string; readonly tree: string };
    // The server escaped every foreign text of the tree.
    live.innerHTML = seen.tree;
    if (words !== null && words.textContent !== seen.words) words.textContent = seen.words;
  });
  events.addEventListener('end', () => {
    events.close();
    location.reload();
  });
}
