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
import { type Database, type PostgresLocation, openDatabase } from './database.ts';

/**
 * A state in PostgreSQL: its text, a journal with a row for each record, and its lease, aged by the clock of the
 * database. Every write is one statement, which does nothing when the writer has lost the lease.
 * Connects with the first read or write.
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
  /** The counter of the lease of this writer, and the number of its next record. */
  known: { readonly counter: number; next: number } | undefined;
  /** The MAC of the last record in the journal. */
  last: string;
}

/** The storage of such a state; `clock` is for the pauses between attempts. */
export function postgresStorage(where: PostgresLocation, clock: Clock): StateStorage {
  const { schema, name } = where;
  const database = openDatabase(where, clock);
  const open: Open = { where, database, known: undefined, last: '' };
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

async function load({ where, database }: Open, authenticity: Authenticity): Promise<State | undefined> {
  const { schema, name } = where;
  const { location } = database;
  // One statement, so that no write happens between two reads.
  const rows = await database.query(
    `select 0::bigint as counter, 0::bigint as number, null as address, body as text from ${schema}.state where name = $1
    union all select counter, number, address, record from ${schema}.journal where name = $1
    order by counter, number`,
    [name],
  );
  // Without the table of the journal, the state itself may be there all the same.
  const alone = `select body as text from ${schema}.state where name = $1`;
  const [first, ...rest] = rows.length > 0 ? rows : await database.query(alone, [name]);
  // A journal without its state: the table of the states was made again.
  if (first === undefined || (first.address ?? null) !== null) return undefined;
  const read = parseState({ location, text: String(first.text) }, authenticity);
  return withWaves(read.state, [waveOf(location, rest, { ...read, authenticity })]);
}

async function save(open: Open, state: State, { authenticity, counter, check }: Writer): Promise<void> {
  const { where, database } = open;
  const { schema, name } = where;
  const { parts, mac } = authenticity.seal(state);
  const rows = await database.query(
    `with held as (${heldBy(schema)}),
      gone as (delete from ${schema}.journal where name = $1 and exists (select from held)),
      put as (insert into ${schema}.state (name, serial, body, written_at)
        select $1, $3::bigint, $4, now() from held
        on conflict (name) do update set serial = excluded.serial, body = excluded.body, written_at = now())
    select from held`,
    [name, counter, state.serial, parts.join('')],
    check,
  );
  if (rows.length === 0) throw lockLost(`the state ${database.location}`, 'another run has it');
  open.last = mac;
}

async function remove(
  { where: { schema, name }, database }: Open,
  writer: Omit<Writer, 'authenticity'>,
): Promise<void> {
  const rows = await database.query(
    `with held as (${heldBy(schema)}),
      waves as (delete from ${schema}.journal where name = $1 and exists (select from held)),
      gone as (delete from ${schema}.state where name = $1 and exists (select from held))
    select from held`,
    [name, writer.counter],
    writer.check,
  );
  if (rows.length === 0) throw lockLost(`the state ${database.location}`, 'another run has it');
}

async function add(open: Open, wave: Wave, { authenticity, counter, check }: Writer): Promise<void> {
  const { where, database } = open;
  const { schema, name } = where;
  const known = (open.known ??= { counter, next: 1 });
  let previous = open.last;
  const entries = wave.map(writeEntry);
  const records = entries.map(([address, record]) => {
    const { text, mac } = chained(JSON.stringify(record), { previous, authenticity }, `${JSON.stringify(address)} `);
    previous = mac;
    return text;
  });
  // The numbers make it harmless to repeat a wave whose answer was lost.
  const rows = await database.query(
    `with held as (${heldBy(schema)}),
      added as (insert into ${schema}.journal (name, counter, number, address, record)
        select $1, $2::bigint, $3::bigint + place - 1, address, record
        from held, unnest($4::text[], $5::text[]) with ordinality as wave (address, record, place)
        on conflict do nothing)
    select from held`,
    [name, counter, known.next, entries.map(([address]) => address), records],
    check,
  );
  if (rows.length === 0) throw lockLost(`the state ${database.location}`, 'another run has it');
  known.next += wave.length;
  open.last = previous;
}

/** Selects the lease while it has a counter, and locks it for the statement. */
function heldBy(schema: string): string {
  return `select from ${schema}.lease where name = $1 and counter = $2::bigint and is_held for share`;
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
        `select version::text, entry, extract(epoch from clock_timestamp() - renewed_at)::float8 * 1000 as age
        from ${schema}.lease where name = $1`,
        [name],
      );
      if (row === undefined) return undefined;
      const entry = parseEntry(String(row.entry), database.redact);
      if (entry === undefined) throw unusable(database.location, 'has a lease that is none of Trueup');
      return { entry, version: String(row.version), ageMs: Number(row.age) };
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
