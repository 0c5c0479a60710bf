import type { LightMyRequestResponse } from 'fastify';
import { pages } from '../../src/controller/page/pages.ts';
import type { Part } from '../../src/controller/page/server.ts';
import type { Grant } from '../../src/controller/page/viewer.ts';
import type { Records } from '../../src/controller/records/all.ts';
import { browserAt, pageFor } from './controller-pages.ts';

/** People that use the pages of a controller behind a proxy, which signs everybody in. */

/** The headers by which the proxy says who it was. */
export const proxyHeaders = (name: string) => ({ 'x-user': name, 'x-proof': 'proof' });

/** A browser of somebody: it sends forms with the token of the page that they are on. */
export interface Person {
  readonly get: (url: string) => Promise<LightMyRequestResponse>;
  readonly post: (
    page: string,
    action: string,
    fields: Readonly<Record<string, string>>,
  ) => Promise<LightMyRequestResponse>;
}

/** Somebody with some roles. */
export function personAt(
  records: Records,
  about: {
    readonly address: string;
    readonly name: string;
    readonly roles: readonly Grant[];
    readonly parts?: readonly Part[];
    readonly fourEyes?: boolean;
  },
): Person {
  const { address, name, roles, parts = [pages], fourEyes = false } = about;
  const onError = (error: unknown) => {
    throw error;
  };
  const browser = browserAt(
    pageFor(records, { address, roles, parts, fourEyes, onError }),
    address,
    proxyHeaders(name),
  );
  return {
    get: (url) => browser.get(url),
    post: async (page, action, fields) => {
      const token = /name="_csrf" value="([^"]+)"/.exec((await browser.get(page)).body)?.[1] ?? '';
      return browser.post(action, { ...fields, _csrf: token });
    },
  };
}
