import { hooks } from '../hooks/hooks.ts';
import type { Queue } from '../queue.ts';
import { api } from './api.ts';
import { metrics } from './metrics.ts';
import { pages } from './pages.ts';
import type { Part } from './server.ts';
import type { ApiToken } from './tokens.ts';

/** What the parts of the page need besides the records. */
interface PartsOptions {
  readonly queue: Queue;
  readonly tokens: readonly ApiToken[];
  /** Gets what failed inside. */
  readonly onError: (error: unknown) => void;
}

/** All that the server of the page serves. */
export function pageParts({ queue, tokens, onError }: PartsOptions): readonly Part[] {
  return [pages, api, hooks({ queue, onError }), metrics({ queue, tokens, onError })];
}
