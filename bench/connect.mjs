// The connections of the clients for comparison. A failure ends them.
import { Pool } from 'undici';

/** Connects to a platform. `end` prints the requests that were made, as Trueup does. */
export function connect({ url, apiKey, connections }) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const counts = { reads: 0, writes: 0 };
  const answer = async ({ statusCode, body }, what) => {
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${what}: ${statusCode} ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const get = async (path) => {
    counts.reads += 1;
    return answer(await pool.request({ method: 'GET', path, headers }), path);
  };
  return {
    get,
    read: (operation, input) => get(`/api/${operation}?${new URLSearchParams(input).toString()}`),
    write: async (operation, input) => {
      counts.writes += 1;
      const body = JSON.stringify(input);
      return answer(await pool.request({ method: 'POST', path: `/api/${operation}`, headers, body }), operation);
    },
    end: async () => {
      await pool.close();
      process.stdout.write(`${counts.reads} reads, ${counts.writes} writes\n`);
    },
  };
}
