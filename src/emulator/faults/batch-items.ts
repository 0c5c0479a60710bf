import type { WireAnswer } from '../../api/wire.ts';

/** The answer to a batch with other items: one too few or too many, in another order, or the first one a failed query. */
export function withItems(answer: WireAnswer, how: 'fewer' | 'more' | 'shuffled' | 'failed'): WireAnswer {
  const items = itemsIn(answer);
  if (items === undefined) return answer;
  switch (how) {
    case 'fewer':
      return { ...answer, body: JSON.stringify(items.slice(0, -1)) };
    case 'more':
      return { ...answer, body: JSON.stringify([...items, ...items.slice(0, 1)]) };
    case 'shuffled':
      return { ...answer, body: JSON.stringify(items.toReversed()) };
    case 'failed': {
      const body = JSON.stringify([failedQuery, ...items.slice(1)]);
      return { ...answer, status: items.length === 1 ? 500 : 207, body };
    }
    default:
      return how satisfies never;
  }
}

/** What one read says while the database restarts; the platform quotes the query with its values. */
const failedQuery = {
  error: {
    json: {
      message: 'Failed query: select "id" from "member" where "user_id" = $1\nparams: user_1',
      code: -32_603,
      data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, zodError: null },
    },
  },
};

function itemsIn({ body }: WireAnswer): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
