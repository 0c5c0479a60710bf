import { createQueue } from '../../src/controller/queue.ts';

/** A program for the tests: a worker that begins a job and never ends it. Arguments: address of the database, schema. */
const [url = '', schema = ''] = process.argv.slice(2);
const queue = await createQueue({ url, schema, onError: () => undefined });
await queue.start();
await queue.work('stack', { concurrency: 1 }, async (key) => {
  process.stdout.write(`began ${key}\n`);
  await new Promise(() => undefined);
});
