import { type Clock, systemClock } from '../clock.ts';
import type { Documents } from '../named-documents.ts';
import type { KeySource } from '../key-sources.ts';
import { parseEntry } from '../lease-entry.ts';
import type { LeaseContext } from '../lease.ts';
import type { StateStorage, Writer } from '../storage.ts';
import type { Authenticity } from '../authenticity.ts';
import { type ReadState, parseState } from '../parse.ts';
import type { Register } from '../register.ts';
import type { State, StateStore } from '../state.ts';
import { storeOver } from '../store.ts';
import { lockLost, unusable } from '../unusable.ts';
import { writeEntry } from '../formats.ts';
import { type Wave, chained, parseWave, chainReader, withWaves } from '../wave.ts';
import { type Database, type PostgresLocation, openDatabase } from './postgres-client.ts';

/**
 * A state in PostgreSQL: its text, a journal with a row for each record, and its lease, aged by the clock of the
 * database. Every write is one statement, which does nothing when the writer has lost the lease, or when the state is not the
 * one that it knows. Connects with the first read or write.
 *
 * @throws {Stop} `state`, when `url` is no address of a database.
 */
export function postgresStore(
  where: PostgresLocation,
  some: Partial<LeaseContext> & { readonly keys: KeySource },
): StateStore {
  return storeOver(postgresStorage(where, some.clock ?? systemClock), some);
}

/** A state in a database, as this process knows it. */
interface Open {
  readonly where: PostgresLocation;
  readonly database: Database;
  /** The transaction that wrote the state, as it was read or written last; empty: there is none. */
  version: string | undefined;
  /** The counter of the lease of this writer, and the number of its next record. */
  known: { readonly counter: number; next: number } | undefined;
  /** The MAC of the last record in the journal. */
  last: string;
}

/** The storage of such a state; `clock` is for the pauses between attempts. */
export function postgresStorage(where: PostgresLocation, clock: Clock): StateStorage {
  const { schema, name } = where;
  const database = openDatabase(where, clock);
  const open: Open = { where, database, version: undefined, known: undefined, last: '' };
  return {
    location: database.location,
    lease: postgresRegister(database, schema, name),
    documents: postgresDocuments(database, schema, name),
    isShared: true,
    load: (authenticity) => load(open, authenticity),
    begin: async (base, writer) => {
      await save(open, base, writer);
      if (open.known?.counter !== writer.counter) open.known = { counter: writer.counter, next: 1 };
    },
    add: (wave, writer) => add(open, wave, writer),
    save: (state, writer) => save(open, state, writer),
    remove: (writer) => remove(open, writer),
    close: () => database.close(),
  };
}

async function load(open: Open, authenticity: Authenticity): Promise<State | undefined> {
  const { where, database } = open;
  const { schema, name } = where;
  const { location } = database;
  const state = 'body as text, xmin::text as version';
  // One statement, so that no write happens between two reads.
  const rows = await database.query(
    `select 0::bigint as counter, 0::bigint as number, null as address, ${state} from ${schema}.state where name = $1
    union all select counter, number, address, record, null from ${schema}.journal where name = $1
    order by counter, number`,
    [name],
  );
  // Without the table of the journal, the state itself may be there all the same.
  const alone = `select ${state} from ${schema}.state where name = $1`;
  const [first, ...rest] = rows.length > 0 ? rows : await database.query(alone, [name]);
  open.version = String(first?.version ?? '');
  // A journal without its state: the table of the states was made again.
  if (first === undefined || (first.address ?? null) !== null) return undefined;
  const read = parseState({ location, text: String(first.text) }, authenticity);
  return withWaves(read.state, [waveOf(location, rest, { ...read, authenticity })]);
}

/** Replaces the state that this process knows, and no other: a statement may arrive when its repetition is long done. */
async function save(open: Open, state: State, writer: Writer): Promise<void> {
  const { where, database } = open;
  const { schema } = where;
  const { parts, mac } = writer.authenticity.seal(state);
  const known = (open.version ??= await versionOf(open));
  const row = await write(open, writer, {
    text: `with held as (${heldBy(schema)}),
      put as (insert into ${schema}.state as old (name, serial, body, written_at)
        select $1, $4::bigint, $5, now() from held
        where $3 = '' or exists (select from ${schema}.state where name = $1 and xmin::text = $3)
        on conflict (name) do update set serial = excluded.serial, body = excluded.body, written_at = now()
        where old.xmin::text = $3
        returning xmin::text as version),
      gone as (delete from ${schema}.journal where name = $1 and exists (select from put))
    select (select version from put) as version from held`,
    values: [known, state.serial, parts.join('')],
  });
  // Without an answer, an earlier attempt may have taken effect.
  const version = String(row.version ?? (await versionOf(open, mac, writer.check)));
  if (version === '') throw lockLost(`the state ${database.location}`, 'another run wrote it');
  [open.version, open.last] = [version, mac];
}

/** The transaction that wrote the state, or that wrote one with a MAC; empty: there is none. */
async function versionOf({ where: { schema, name }, database }: Open, mac = '', check?: () => void): Promise<string> {
  const [row] = await database.query(
    `select xmin::text as version from ${schema}.state where name = $1 and ($2 = '' or position($2 in right(body, 100)) > 0)`,
    [name, mac],
    check,
  );
  return String(row?.version ?? '');
}

async function remove(open: Open, writer: Omit<Writer, 'authenticity'>): Promise<void> {
  const { schema } = open.where;
  const known = (open.version ??= await versionOf(open));
  await write(open, writer, {
    text: `with held as (${heldBy(schema, `not exists (select from ${schema}.state where name = $1 and xmin::text <> $3)`)}),
      waves as (delete from ${schema}.journal where name = $1 and exists (select from held)),
      gone as (delete from ${schema}.state where name = $1 and exists (select from held))
    select from held`,
    values: [known],
  });
  open.version = '';
}

async function add(open: Open, wave: Wave, writer: Writer): Promise<void> {
  const { schema } = open.where;
  const { authenticity, counter } = writer;
  const known = (open.known ??= { counter, next: 1 });
  let previous = open.last;
  const entries = wave.map(writeEntry);
  const records = entries.map(([address, record]) => {
    const { text, mac } = chained(JSON.stringify(record), { previous, authenticity }, `${JSON.stringify(address)} `);
    previous = mac;
    return text;
  });
  // The numbers make it harmless to repeat a wave whose answer was lost.
  await write(open, writer, {
    text: `with held as (${heldBy(schema, `exists (select from ${schema}.state where name = $1 and xmin::text = $3)`)}),
      added as (insert into ${schema}.journal (name, counter, number, address, record)
        select $1, $2::bigint, $4::bigint + place - 1, address, record
        from held, unnest($5::text[], $6::text[]) with ordinality as wave (address, record, place)
        on conflict do nothing)
    select from held`,
    values: [open.version, known.next, entries.map(([address]) => address), records],
  });
  known.next += wave.length;
  open.last = previous;
}

/** Runs a statement that has no row when the lease is lost. Its first values are the name of the state and the counter. */
async function write(
  { where, database }: Open,
  { counter, check }: Pick<Writer, 'counter' | 'check'>,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await database.query(text, [where.name, counter, ...values], check);
  if (row === undefined) throw lockLost(`the state ${database.location}`, 'another run has it');
  return row;
}

/** Selects the lease while it has a counter, and locks it for the statement; with a condition, only while that is true too. */
function heldBy(schema: string, condition = 'true'): string {
  return `select from ${schema}.lease where name = $1 and counter = $2::bigint and is_held and ${condition} for share`;
}

function waveOf(
  location: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  { format, mac, authenticity }: Pick<ReadState, 'format' | 'mac'> & { readonly authenticity: Authenticity },
): Wave {
  const read = chainReader(format, { previous: mac, authenticity });
  const content = rows.map(({ address, text }) => {
    const record = read(String(text), `${JSON.stringify(address)} `);
    if (record === undefined) {
      throw authenticity.forged(location, `has a record of ${String(address)} that does not follow the one before it`);
    }
    return [address, JSON.parse(record)];
  });
  const wave = parseWave(content, format);
  if (wave === undefined) throw unusable(location, 'has a record in its journal that is none of Trueup');
  return wave;
}

function postgresRegister(database: Database, schema: string, name: string): Register {
  return {
    of: `the state ${database.location}`,
    look: async () => {
      const [row] = await database.query(
        `select version::text, entry, extract(epoch from clock_timestamp() - renewed_at)::float8 * 1000 as age,
          has_table_privilege(tableoid, 'update') and current_setting('transaction_read_only') = 'off' as "mayWrite"
        from ${schema}.lease where name = $1`,
        [name],
      );
      if (row === undefined) return undefined;
      const entry = parseEntry(String(row.entry), database.redact);
      if (entry === undefined) throw unusable(database.location, 'has a lease that is none of Trueup');
      const ageMs = Number(row.age);
      // The clock of the database was set back: a holder that is gone would have the lease until it comes there again. Who may only
      // read takes no lease.
      if (ageMs < 0 && row.mayWrite === true)
        await database.query(
          `update ${schema}.lease set renewed_at = clock_timestamp() where name = $1 and renewed_at > clock_timestamp()`,
          [name],
        );
      return { entry, version: String(row.version), ageMs: Math.max(0, ageMs) };
    },
    swap: async (seen, entry) => {
      // A run that begins makes the tables that are missing: no write of it would find them.
      if (seen === undefined || entry.holder?.beat === 0) {
        const names = ['lease', 'state', 'journal'].map((table) => `${schema}.${table}`);
        await database.prepare(tables(schema), names);
      }
      const values = [name, entry.counter, entry.holder !== null, JSON.stringify(entry)];
      const [row] =
        seen === undefined
          ? await database.query(
              `insert into ${schema}.lease (name, version, counter, is_held, entry, renewed_at)
              values ($1, 1, $2, $3, $4, clock_timestamp()) on conflict do nothing returning version::text`,
              values,
            )
          : await database.query(
              `update ${schema}.lease set version = version + 1, counter = $2, is_held = $3, entry = $4,
              renewed_at = clock_timestamp() where name = $1 and version = $5::bigint returning version::text`,
              [...values, seen.version],
            );
      return row === undefined ? undefined : { entry, version: String(row.version), ageMs: 0 };
    },
  };
}

function postgresDocuments(database: Database, schema: string, name: string): Documents {
  const table = `${schema}.documents`;
  return {
    put: async (document, text) => {
      await database.prepare(documentsTable(schema), [table]);
      await database.query(
        `insert into ${table} (name, document, body, written_at) values ($1, $2, $3, now())
        on conflict (name, document) do update set body = excluded.body, written_at = now()`,
        [name, document, text],
      );
    },
    get: async (document) => {
      const [row] = await database.query(`select body from ${table} where name = $1 and document = $2`, [
        name,
        document,
      ]);
      return row === undefined ? undefined : String(row.body);
    },
    remove: async (document) =>
      void (await database.query(`delete from ${table} where name = $1 and document = $2`, [name, document])),
    list: async () => {
      const rows = await database.query(`select document from ${table} where name = $1`, [name]);
      return rows.map(({ document }) => String(document));
    },
  };
}

/** Made at the first document, in a schema that an earlier version may have made without it. */
function documentsTable(schema: string): string {
  return `${firstOf(schema)}
create table if not exists ${schema}.documents (
  name text, document text, body text not null, written_at timestamptz not null, primary key (name, document));`;
}

/** One transaction: many first runs can come at once. Using a schema does not imply the right to create one. */
function tables(schema: string): string {
  return `${firstOf(schema)}
create table if not exists ${schema}.lease (
  name text primary key, version bigint not null, counter bigint not null, is_held boolean not null,
  entry text not null, renewed_at timestamptz not null);
create table if not exists ${schema}.state (
  name text primary key, serial bigint not null, body text not null, written_at timestamptz not null);
create table if not exists ${schema}.journal (
  name text, counter bigint, number bigint, address text not null, record text,
  primary key (name, counter, number));`;
}

function firstOf(schema: string): string {
  return `select pg_advisory_xact_lock(hashtext('trueup state tables'));
do $$ begin if to_regnamespace('${schema}') is null then create schema ${schema}; end if; end $$;`;
}
