import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Bucket, BucketLocation } from '../../../src/state/backends/s3-client.ts';
import { openBucket } from '../../../src/state/backends/s3-client.ts';
import { s3Storage, s3Store } from '../../../src/state/backends/s3.ts';
import { systemClock } from '../../../src/state/clock.ts';
import { storeOver } from '../../../src/state/store.ts';
import { writeLine } from '../../../src/state/wave.ts';
import { nameProxy, serveProxy } from '../../support/http-proxy.ts';
import type { S3Server } from '../../support/s3-server.ts';
import { secretOf, serveS3 } from '../../support/s3-server.ts';
import { createActivity } from '../activity.ts';
import { commonForms, journalOf, sealedAt, sealedForms, stateOf } from '../corpus.ts';
import { readOf, recordOf, stateWith, stopOf } from '../../../src/state/conformance/states.ts';
import { conforms } from '../conformance.ts';
import type { Where } from '../../../src/state/conformance/bench.ts';
import type { VirtualProcess } from '../../../src/state/conformance/virtual-processes.ts';
import { began } from '../../../src/state/conformance/virtual-time.ts';
import { processTime } from '../../../src/state/conformance/virtual-processes.ts';
import { migratingKeys, testKeys } from '../../support/state-key.ts';
import { effort } from '../../support/whole.ts';

conforms('in a bucket', { isShared: true }, async () => {
  let isDown = false;
  const activity = createActivity();
  const time = processTime(activity);
  const server = await serveS3(['bucket'], () => began + time.now());
  const keys = new Map<VirtualProcess, string>();
  const deaths = new Map<string, { left: number; where: Where; die: () => void }>();
  const keyOf = (process: VirtualProcess) => {
    const key = keys.get(process) ?? `key-${keys.size}`;
    keys.set(process, key);
    return key;
  };
  server.switches.fault = ({ accessKeyId }) => {
    if (isDown) return 503;
    const death = deaths.get(accessKeyId);
    if (death === undefined || --death.left > 0) return undefined;
    // Nobody is told before what is carried out is carried out.
    setImmediate(() => setImmediate(death.die));
    return death.left === 0 ? death.where : 'before';
  };
  return {
    time,
    open: (process, name = 'one') => {
      const accessKeyId = keyOf(process);
      const where = {
        endpoint: server.url,
        bucket: 'bucket',
        region: 'us-east-1',
        prefix: `states/${name} (é+)/`,
        key: { accessKeyId, secretAccessKey: secretOf(accessKeyId) },
      };
      const storage = s3Storage(where, activity.clockOf(process));
      return Promise.resolve(storeOver(activity.watched(process, storage), { ...process, keys: testKeys }));
    },
    dieAt: async (process, left, where) => {
      await new Promise<void>((die) => void deaths.set(keyOf(process), { left, where, die }));
      activity.ended(process);
    },
    breakDown: () => {
      isDown = true;
    },
    mend: () => {
      isDown = false;
    },
    written: () => server.log.reduce((sum, { bytes }) => sum + bytes, 0),
    close: () => server.close(),
  };
});

describe('a store of objects', () => {
  const open: S3Server[] = [];
  afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

  /** A store, and the state in it as somebody opens it who is never patient. */
  const begin = async (about: Partial<BucketLocation> = {}, keys = testKeys) => {
    const server = await serveS3(['bucket']);
    open.push(server);
    const clock = { ...systemClock, sleep: () => Promise.resolve() };
    const where = {
      endpoint: server.url,
      bucket: 'bucket',
      region: 'eu-1',
      prefix: 'shop/',
      key: { accessKeyId: 'key', secretAccessKey: secretOf('key') },
      ...about,
    };
    return {
      server,
      where,
      bucket: openBucket(where, clock),
      store: s3Store(where, { clock, keys }),
      another: () => s3Store(where, { clock, keys }),
    };
  };

  describe.each(commonForms)('with a state of the form %s', (form) => {
    /** Puts the objects that a killed run left behind. */
    const beginWith = async () => {
      const made = await begin({}, migratingKeys);
      const put = (name: string, text: string) => made.bucket.put(name, text, { over: 'any' });
      if (sealedForms.includes(form)) {
        for (const [name, text] of Object.entries(sealedAt(form, 's3') as Record<string, string>))
          await put(name, text);
        return made;
      }
      const { base, waves } = journalOf(form);
      await put('state.json', JSON.stringify({ counter: 7, from: 3, state: base }));
      for (const [at, wave] of waves.entries()) await put(`journal/7/00000${3 + at}`, writeLine(JSON.stringify(wave)));
      return made;
    };

    test('gives it with its journal', async () => {
      const { store } = await beginWith();
      expect(await store.read()).toStrictEqual(stateOf(form));
    });

    test('continues it, and writes the newest format', async () => {
      const { bucket, server, store, another } = await beginWith();
      await store.lock({ purpose: 'apply' });
      const state = stateOf(form);
      await store.append(await readOf(store), 'production.redis.open', null);
      const { 'production.redis.open': _, ...resources } = state.resources;
      expect(await another().read()).toEqual({ ...state, resources });
      await store.write({ ...state, serial: 4 });
      expect(await another().read()).toEqual({ ...state, serial: 4 });
      expect((await bucket.get('state.json'))?.text).toContain('"formatVersion":4,');
      expect([...server.objects.keys()].filter((name) => name.includes('/journal/'))).toEqual([]);
      await store.close();
    });
  });

  test('with a state of a newer Trueup is neither read nor written, nor is its lock taken', async () => {
    const { bucket, store, server } = await begin();
    const state = { ...stateWith({}), formatVersion: 5 };
    await bucket.put('state.json', JSON.stringify({ counter: 7, from: 3, state }), { over: 'any' });
    const before = [...server.objects.keys()];
    for (const work of [() => store.read(), () => store.lock({ purpose: 'apply' })]) {
      const { message, failure } = await stopOf(work);
      expect([failure, message]).toEqual([
        'state',
        `the state ${server.url}/bucket/shop/state.json has format 5, which a newer Trueup wrote`,
      ]);
    }
    expect([...server.objects.keys()]).toEqual(before);
  });

  test('that heeds conditions has a lease, a state, and one object for each wave', async () => {
    const { server, store } = await begin();
    const names = () => [...server.objects.keys()].toSorted();
    await store.lock({ purpose: 'apply' });
    expect(names()).toEqual(['bucket/shop/lease.json']); // the probe is gone
    const base = stateWith({}, 0);
    await Promise.all([store.append(base, 'a', recordOf('1')), store.append(base, 'b', recordOf('2'))]);
    await store.append(base, 'c', recordOf('3'));
    expect(names()).toEqual([
      'bucket/shop/journal/1/000000',
      'bucket/shop/journal/1/000001',
      'bucket/shop/lease.json',
      'bucket/shop/state.json',
    ]);
    await store.write({ ...base, serial: 1 });
    expect(names()).toEqual(['bucket/shop/lease.json', 'bucket/shop/state.json']);
    await store.close();
  });

  test.each([
    ['without a MAC', '[["a",null]]'],
    ['after the MAC of another record', `${'A'.repeat(43)} [["a",null]]`],
    ['that is null itself', 'null'],
  ])('in which somebody put a removal %s stops the run', async (_title, line) => {
    const { bucket, store, another } = await begin();
    await store.lock({ purpose: 'apply' });
    await store.append(stateWith({}, 0), 'a', recordOf('1'));
    expect(Object.keys((await readOf(another())).resources)).toEqual(['a']);
    await bucket.put('journal/1/000001', writeLine(line), { over: 'any' });
    const { message, diagnostics } = await stopOf(another().read);
    expect(message).toContain('journal/1/000001 does not follow the record before it');
    expect(diagnostics[0]?.code).toBe('state-forged');
    await store.close();
  });

  test.each(['ignoresConditions', 'isRacy', 'refusesConditions'] as const)(
    'that %s stores no state, because its lease would lock no run out',
    async (fault) => {
      const { server, store } = await begin();
      server.switches[fault] = true;
      const stop = await stopOf(store.lock({ purpose: 'apply' }));
      expect(stop.failure).toBe('state');
      expect(stop.message).toMatch(
        /does not heed the conditions of writes|takes no conditional writes \(status 501 NotI/,
      );
      expect(stop.diagnostics[0]?.remedy).toContain('docs/state.md');
    },
  );

  test('behind a proxy that makes its tags weak is used as any other', async () => {
    const { server, store, another } = await begin();
    server.switches.tagOf = (etag) => `W/${etag}`;
    await store.lock({ purpose: 'apply' });
    await store.write(stateWith({ a: recordOf('1') }));
    await store.close();
    const two = another();
    await two.lock({ purpose: 'apply' });
    await two.read();
    await two.write(stateWith({ b: recordOf('2') }, 2));
    await two.close();
    expect(await another().read()).toEqual(stateWith({ b: recordOf('2') }, 2));
  });

  test('behind a proxy that changes its tags is refused, after a few requests', async () => {
    const { server, store, another } = await begin();
    await store.lock({ purpose: 'apply' });
    await store.close();
    server.switches.tagOf = (etag) => etag.replace(/"$/, '-gzip"');
    server.log.length = 0;
    const stop = await stopOf(another().lock({ purpose: 'apply' }));
    expect(stop.message).toContain('cannot be taken: it can be read, and what was read cannot be replaced');
    expect(stop.diagnostics[0]?.remedy).toContain('A proxy before a store must leave the header ETag as it is.');
    expect(server.log.length).toBeLessThan(20);
  });

  test('that lists a few objects at a time lists all documents', async () => {
    const { server, store } = await begin();
    server.switches.pageSize = 2;
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await store.documents.put(name, name);
    expect(await store.documents.list()).toEqual(names);
    expect([...server.objects.keys()]).toContain('bucket/shop/documents/a');
  });

  test('that gives no dates has leases that others watch until they are over', async () => {
    const { server, store, another } = await begin();
    server.switches.hasNoDates = true;
    await store.lock({ purpose: 'apply' });
    const { message } = await stopOf(another().lock({ purpose: 'plan' }));
    expect(message).not.toContain('expires in');
    await store.close();
  });

  test.each([
    ['breaks off an answer to what it carried out', 'lost'],
    ['is in trouble', 503],
    ['has too much to do', 429],
    ['had a write of somebody else at the same moment', 409],
  ] as const)('that %s now and then is asked again, and nothing is written twice or lost', async (_title, fault) => {
    const { server, store, another } = await begin();
    let count = 0;
    const inARow = new Map<string, number>();
    // Of requests that go out together any one may be the third each time: four times in a row would be for good.
    server.switches.fault = ({ method, name }) => {
      const before = inARow.get(`${method} ${name}`) ?? 0;
      const isHit = ++count % 3 === 0 && before < 3;
      inARow.set(`${method} ${name}`, isHit ? before + 1 : 0);
      return isHit ? fault : undefined;
    };
    const lease = await store.lock({ purpose: 'apply' });
    const base = stateWith({ a: recordOf('1') });
    await store.write(base);
    for (const name of ['b', 'c', 'd', 'e']) await store.append(base, name, recordOf(name));
    expect(Object.keys((await another().read())?.resources ?? {})).toEqual(['a', 'b', 'c', 'd', 'e']);
    await store.write({ ...base, serial: 2 });
    expect((await another().read())?.serial).toBe(2);
    expect(lease.check).not.toThrow();
    await store.close();
  });

  test('that breaks off any one answer changes nothing of how a run goes', async () => {
    for (let at = 1; ; at += effort({ fast: 3, all: 1 })) {
      const { server, store, another } = await begin();
      let count = 0;
      server.switches.fault = () => (++count === at ? 'lost' : undefined);
      const lease = await store.lock({ purpose: 'apply' });
      expect([at, lease.counter]).toEqual([at, 1]);
      const base = stateWith({ a: recordOf('1') });
      await store.write(base);
      await store.append(base, 'b', recordOf('2'));
      await store.append(base, 'c', recordOf('3'));
      await store.write({ ...base, serial: 2 });
      await lease.release();
      if (count < at) break;
      expect((await another().read())?.serial).toBe(2);
      expect([...server.objects.keys()].filter((name) => name.includes('journal'))).toEqual([]);
      await server.close();
    }
  });

  test('that keeps failing is reported with its address, without the key', async () => {
    const { server, store } = await begin();
    server.switches.fault = () => 503;
    const stop = await stopOf(store.read());
    expect(stop.message).toBe(`the state ${server.url}/bucket/shop/state.json cannot be reached (status 503 SlowDown)`);
    expect(server.log).toHaveLength(4);
    await server.close();
    expect((await stopOf(store.read())).message).toMatch(
      /cannot be reached \((ECONNREFUSED|other side closed|UND_ERR_SOCKET)\)/,
    );
  });

  test('that is away for long is waited for by a writer as long as its lock lasts, and by a reader for four attempts', async () => {
    const { server, where } = await begin();
    const pauses: number[] = [];
    const sleep = (ms: number) => {
      pauses.push(ms);
      if (pauses.length === 12) server.switches.fault = () => undefined;
      return Promise.resolve();
    };
    const open = () => s3Store(where, { clock: { ...systemClock, sleep }, keys: testKeys });
    const store = open();
    await store.lock({ purpose: 'apply' });
    await store.write(stateWith({}));
    const away = () => 503;
    server.switches.fault = away;
    await store.append(stateWith({}), 'a', recordOf('a'));
    expect(pauses).toHaveLength(12);
    expect(new Set(pauses.slice(2))).toEqual(new Set([3_000]));
    await store.close();
    expect((await open().read())?.resources).toMatchObject({ a: {} });
    server.switches.fault = away;
    pauses.length = 0;
    await expect(open().read()).rejects.toThrow('cannot be reached');
    expect(pauses).toEqual([200, 1_000, 3_000]);
  });

  test('that never takes a write, and keeps the lock, ends the run after ten minutes', async () => {
    const { server, where } = await begin();
    server.switches.fault = () => 503;
    let now = 0;
    const sleep = (ms: number) => {
      now += ms;
      return now > 3_600_000 ? Promise.reject(new Error('it waits for ever')) : Promise.resolve();
    };
    const bucket = openBucket(where, { ...systemClock, sleep, monotonic: () => now });
    const stop = await stopOf(bucket.put('a', 'text', { over: 'any', check: () => undefined }));
    expect(stop.message).toContain('cannot be reached (status 503 SlowDown)');
    expect(now).toBeGreaterThanOrEqual(600_000);
  });

  test('behind a proxy that does not let it through names the proxy, and is asked once', async () => {
    const proxy = await serveProxy({ status: 407 });
    nameProxy({ HTTP_PROXY: proxy.url.replace('//', '//me:pass-7f3a@') });
    const { store } = await begin({ endpoint: 'http://s3.example' });
    const stop = await stopOf(store.read());
    expect(stop.message).toBe(
      'the state http://s3.example/bucket/shop/state.json cannot be reached ' +
        `(the proxy of HTTP_PROXY (${proxy.url}) does not accept the user and the password of HTTP_PROXY (407))`,
    );
    expect(stop.diagnostics[0]?.remedy).toContain('Correct them in HTTP_PROXY.');
    expect(proxy.log).toHaveLength(1);
  });

  test('that answers without end is given up, at its first answer', async () => {
    let answers = 0;
    const server = createServer((_request, response) => {
      answers++;
      const part = Buffer.alloc(1024 * 1024, '[');
      const more = () => {
        while (!response.destroyed && response.write(part));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { store } = await begin({ endpoint });
    const stop = await stopOf(store.read());
    expect(stop.message).toBe(
      `the state ${endpoint}/bucket/shop/state.json cannot be used (the store answered with more than 128 MiB)`,
    );
    expect(answers).toBe(1);
    server.closeAllConnections();
    server.close();
  });

  /** A store of which every answer is written by `answer`, as somebody opens it who is never patient. */
  const beginSlow = async (
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    { answerMs }: { readonly answerMs: number },
  ) => {
    const server = createServer(answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    open.push({ close } as unknown as S3Server);
    const where = {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket: 'bucket',
      region: 'eu-1',
      prefix: 'shop/',
      key: { accessKeyId: 'key', secretAccessKey: secretOf('key') },
    };
    return openBucket(where, { ...systemClock, sleep: () => Promise.resolve() }, { answerMs, bytes: 102_400 });
  };

  const patient = { answerMs: 600 };
  /** Enough for a busy machine to take and give what the tests say in time. */
  const impatient = { answerMs: 1_000 };

  test('that gives a large object slowly is read', async () => {
    const part = 'a'.repeat(200_000);
    const bucket = await beginSlow((_request, response) => {
      response.setHeader('etag', '"one"');
      let left = 10;
      const timer = setInterval(() => {
        if (left-- > 0) response.write(part);
        else response.end(() => clearInterval(timer));
      }, 80);
    }, patient);
    expect((await bucket.get('state.json'))?.text.length).toBe(10 * part.length);
  });

  test('that takes a large object slowly is written', async () => {
    const texts: Buffer[] = [];
    let began = 0;
    let tookMs = 0;
    const bucket = await beginSlow((request, response) => {
      began = performance.now();
      let taken = 0;
      request.on('data', (part: Buffer) => {
        texts.push(part);
        taken += part.length;
        // 30 MB in a second; what the system holds between the two ends passes sooner than a request is given up.
        const ahead = taken / 30_000 - (performance.now() - began);
        if (ahead > 5) {
          request.pause();
          setTimeout(() => request.resume(), ahead);
        }
      });
      request.on('end', () => {
        tookMs = performance.now() - began;
        response.setHeader('etag', '"one"').end();
      });
    }, patient);
    const text = 'é'.repeat(15_000_000);
    expect(await bucket.put('state.json', text, { over: 'any' })).toBe('"one"');
    expect(tookMs).toBeGreaterThan(800);
    expect(Buffer.concat(texts).toString('utf8') === text).toBe(true);
  });

  test.each([
    ['does not answer', 0, 'no answer within 1 s', () => undefined],
    [
      'gives a part of an object, and no more',
      0,
      'it gave less than 100 KiB within 1 s',
      (_request: IncomingMessage, response: ServerResponse): void => {
        response.write('a'.repeat(300_000));
      },
    ],
    [
      'gives an object by a few bytes',
      0,
      'it gave less than 100 KiB within 1 s',
      (_request: IncomingMessage, response: ServerResponse): void => {
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['takes nothing of a large object', 30_000_000, 'it took less than 100 KiB within 1 s', () => undefined],
    [
      'takes an object, and does not answer',
      1_000_000,
      'no answer within 1 s',
      (request: IncomingMessage): void => {
        request.resume();
      },
    ],
  ] as const)('that %s is given up, after four attempts', async (_title, length, words, answer) => {
    let requests = 0;
    const bucket = await beginSlow((request, response) => {
      requests++;
      answer(request, response);
    }, impatient);
    const work = length === 0 ? bucket.get('a') : bucket.put('a', 'a'.repeat(length), { over: 'any' });
    expect((await stopOf(work)).message).toContain(`cannot be reached (${words})`);
    expect(requests).toBe(4);
  });

  test('that lists pages without end is given up', async () => {
    let answers = 0;
    const server = createServer((_request, response) => {
      const page = `<Key>shop/documents/a${answers}</Key><NextContinuationToken>t${answers++}</NextContinuationToken>`;
      response.end(`<ListBucketResult>${page}</ListBucketResult>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { store } = await begin({ endpoint });
    expect((await stopOf(store.documents.list())).message).toContain('the store lists more than 100 pages');
    expect(answers).toBe(100);
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['the key is wrong', { key: { accessKeyId: 'key', secretAccessKey: 'canary-4711' } }, '403 SignatureDoesNotMatch'],
    ['there is no such bucket', { bucket: 'bucke' }, '404 NoSuchBucket'],
  ])('is not used when %s', async (_title, about, words) => {
    const { store } = await begin(about);
    for (const call of [store.read, () => store.lock({ purpose: 'apply' }), store.holder]) {
      const stop = await stopOf(call);
      expect(stop.message).toContain(`cannot be used (status ${words})`);
      expect(JSON.stringify(stop.diagnostics) + String(stop.stack)).not.toContain('canary');
    }
  });

  test('is no web server: its pages are neither a missing object nor an empty list', async () => {
    const page = '<html>not found</html>';
    for (const [status, call] of [
      [404, (bucket: Bucket) => bucket.get('state.json')],
      [404, (bucket: Bucket) => bucket.put('state.json', 'text', { over: '"one"' })],
      [200, (bucket: Bucket) => bucket.list('documents/')],
    ] as const) {
      const bucket = await beginSlow((_request, response) => void response.writeHead(status).end(page), patient);
      expect((await stopOf(call(bucket))).message).toContain(`cannot be used (status ${status}`);
    }
  });

  test.each([
    ['the code PermanentRedirect', 301, { 'x-amz-bucket-region': 'eu-central-1' }, 'PermanentRedirect', ''],
    ['the region that it expects', 400, {}, 'AuthorizationHeaderMalformed', '<Region>eu-central-1</Region>'],
  ] as const)(
    'in another region is refused by %s, and the remedy names it',
    async (_title, status, headers, code, more) => {
      const text = `<Error><Code>${code}</Code>${more}</Error>`;
      const bucket = await beginSlow(
        (_request, response) => void response.writeHead(status, headers).end(text),
        patient,
      );
      const { message, diagnostics } = await stopOf(bucket.get('state.json'));
      expect(message).toContain(`cannot be used (status ${status} ${code})`);
      expect(diagnostics[0]?.remedy).toContain('The bucket is in eu-central-1');
    },
  );

  test('gives a wave that failed no second meaning: it may land later than the next one', async () => {
    const { server, store, another } = await begin();
    await store.lock({ purpose: 'apply' });
    const base = stateWith({}, 0);
    await store.append(base, 'a', recordOf('1'));
    const late = server.objects.get('bucket/shop/journal/1/000000');
    server.switches.fault = ({ name }) => (name.includes('/journal/') ? 400 : undefined);
    await stopOf(store.append(base, 'b', recordOf('2')));
    server.switches.fault = () => undefined;
    await store.write({ ...base, serial: 1 });
    await store.append({ ...base, serial: 1 }, 'c', recordOf('3'));
    if (late !== undefined) server.objects.set('bucket/shop/journal/1/000001', late);
    expect(Object.keys((await another().read())?.resources ?? {})).toEqual(['c']);
    await store.close();
  });

  test('gives no counter twice after a person deleted the lease, so leftovers of killed runs stay stale', async () => {
    const { server, store, another } = await begin();
    const names = () => [...server.objects.keys()].filter((name) => name.includes('/journal/'));
    const base = stateWith({}, 0);
    await store.lock({ purpose: 'apply' });
    await store.append(base, 'old', recordOf('1')); // and it is killed
    const unlock = () => server.objects.delete('bucket/shop/lease.json');
    unlock();
    const two = another();
    expect((await two.lock({ purpose: 'apply' })).counter).toBe(2);
    expect(Object.keys((await two.read())?.resources ?? {})).toEqual(['old']);
    await two.append((await two.read()) ?? base, 'other', recordOf('2')); // and it is killed
    unlock();
    const three = another();
    expect((await three.lock({ purpose: 'apply' })).counter).toBe(3);
    await three.read();
    await three.write({ ...base, serial: 1, resources: { other: recordOf('2') } });
    await three.close();
    expect(names()).toEqual(['bucket/shop/journal/1/000000']);
    unlock();
    const four = another();
    expect((await four.lock({ purpose: 'apply' })).counter).toBe(4);
    const state = await four.read();
    expect(Object.keys(state?.resources ?? {})).toEqual(['other']);
    await four.write({ ...(state ?? base), serial: 2 });
    await four.close();
    expect(Object.keys((await another().read())?.resources ?? {})).toEqual(['other']);
  });

  test('takes the token of a session', async () => {
    const { store } = await begin({
      key: { accessKeyId: 'key', secretAccessKey: secretOf('key'), sessionToken: 'token/+=' },
    });
    expect(await store.read()).toBeUndefined();
  });

  test.each([
    ['a wave', 'journal/1/000001', 'is damaged'],
    ['the state', 'state.json', 'is not valid JSON'],
    ['the lease', 'lease.json', 'is no lease of Trueup'],
  ])('in which %s is damaged is an error', async (_title, name, words) => {
    const { server, store, another } = await begin();
    await store.lock({ purpose: 'apply' });
    const base = stateWith({}, 0);
    for (const address of ['a', 'b', 'c']) await store.append(base, address, recordOf(address));
    const key = `bucket/shop/${name}`;
    const object = server.objects.get(key);
    if (object === undefined) throw new Error('there is no such object');
    server.objects.set(key, { ...object, text: object.text.slice(0, -5) });
    const stop = await stopOf(name === 'lease.json' ? another().holder() : another().read());
    expect(stop.message).toContain(`${name} ${words}`);
  });
});
