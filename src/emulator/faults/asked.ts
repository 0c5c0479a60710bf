import type { WireRequest } from '../../api/wire.ts';
import { type Row, readMap } from '../json-rows.ts';
import { batchRoot } from '../answer-batch.ts';
import { routeOf } from '../served.ts';
import { readQuery } from '../check-input.ts';

/** What a request asks for. */
export interface Asked {
  readonly method: string;
  /** Its operation as the platform writes it, `trpc` for a batch of operations, else its path. */
  readonly operation: string;
  readonly input: Row;
}

/** Reads what a request asks for; what cannot be read asks for nothing more. */
export function readAsked({ method, path, body }: WireRequest): Asked {
  const [, place = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  const name = place.startsWith(batchRoot) ? 'trpc' : place.replace(/^\/api\//, '');
  const route = routeOf(name);
  const operation = route?.name ?? name;
  if (method !== 'GET') return { method, operation, input: readMap(body ?? '') };
  return { method, operation, input: route === undefined ? {} : readQuery(route, query) };
}
