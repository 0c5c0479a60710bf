import { createClient, createRedactor, createTransport, PlatformError } from '../../src/exports/api.ts';

const { TRUEUP_URL: url = '', TRUEUP_API_KEY: apiKey = '', DB_PASSWORD = '' } = process.env;
const redactor = createRedactor();
redactor.add(DB_PASSWORD); // no error will show it, whatever the server answers
const transport = createTransport({ url });
const client = createClient({ send: transport.send, url, apiKey, redact: redactor.redact });

try {
  // A misspelt member or a value of the wrong type does not compile, and is not sent.
  await client.call('postgres.create', {
    name: 'orders',
    environmentId: 'env_prj_1',
    databaseName: 'orders',
    databaseUser: 'orders',
    databasePassword: DB_PASSWORD,
  });
  const found = await client.call('postgres.search', { name: 'orders', limit: 5 });
  process.stdout.write(`${JSON.stringify(found)}\n`);
} catch (error) {
  if (!(error instanceof PlatformError)) throw error;
  // 'not executed' or 'unknown'; a write is never repeated by itself.
  process.stderr.write(`${error.outcome}: ${error.message}\n`);
} finally {
  await transport.close();
}
