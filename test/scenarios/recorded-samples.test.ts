import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { deployCompose, keyOfCase, recordedWorld } from '../emulator/samples-world.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import { namesOf } from '../../src/api/translate.ts';
import { document } from '../../src/api/vocabulary.ts';
import type { WireRequest } from '../../src/api/wire.ts';
import { compared, named, type Sample } from '../support/recorded.ts';

/**
 * Requests that were recorded on the real platform, sent to the emulator: status, kind of body and names of all
 * fields must be the recorded ones, and a platform of another profile gives the same answers in its words. Every case is replayed; the accepted differences stand in one table.
 */

/** Recorded answers that the emulator does not give, with the reason. A case that turns out equal must go from here. */
const acceptedDifferences: Record<string, string> = {
  ...Object.fromEntries(
    ['application.saveEnvironment/empty', 'volumeBackups.update/turnOff-null'].map((name) => [
      name,
      'the platform turns a null into false; the document has a boolean, and the emulator refuses null',
    ]),
  ),
  'environment.create/db-down': 'the emulator has no database that could be down',
  'backup.listBackupFiles/ok': 'the recording had no bucket; the emulator lists no files and does not fail',
  'application.reload/ok 2':
    'the recording had no docker (500); with it, a service of an image that is not there is made',
  'mounts.allNamedByApplicationId/ok': 'the recording had no docker; the emulator says as with docker: no container',
  'postgres.changePassword/ok':
    'the recording had no docker (500); the emulator says what the platform says with it (400)',
};

/** What must happen before a recorded request makes sense, by case. */
const preparations: Record<string, (emulator: Emulator) => Promise<unknown>> = {
  'compose.delete/again': (emulator) =>
    emulator.act('compose.delete', { composeId: '4a0p8Pvm58tNPM1MWMwam', deleteVolumes: false }),
  'compose.isolatedDeployment/ok 2': (emulator) =>
    emulator.act('compose.update', { composeId: '4a0p8Pvm58tNPM1MWMwam', sourceType: 'git' }),
  'compose.delete/delete-true': (emulator) => deployCompose(emulator, '755msDmbz9YIgTkcsFDum'),
  'mariadb.one/after-remove': (emulator) => emulator.act('mariadb.remove', { mariadbId: 'r_ugfCDyn_YSW7fIN6Udr' }),
  'mariadb.remove/again': (emulator) => emulator.act('mariadb.remove', { mariadbId: 'r_ugfCDyn_YSW7fIN6Udr' }),
  'postgres.one/after-remove': (emulator) => emulator.act('postgres.remove', { postgresId: '22EIEEbpwE9YB37KmGhRh' }),
  'postgres.remove/again': (emulator) => emulator.act('postgres.remove', { postgresId: '22EIEEbpwE9YB37KmGhRh' }),
  'postgres.changePassword/ok 2': (emulator) => emulator.act('postgres.stop', { postgresId: '7ZLCYd1xXb5Je6_XOqKUI' }),
  'redis.remove/again': (emulator) => emulator.act('redis.remove', { redisId: 'Wjgb2OMIeTJMAMvhp_zWW' }),
  'redis.one/after-project-remove': (emulator) => emulator.act('redis.remove', { redisId: 'XzaRgps9kwiXvai80cMK7' }),
  'backup.remove/again': (emulator) => emulator.act('backup.remove', { backupId: 'P7dOpl8AvWjNzqYoVYDvL' }),
  'mounts.remove/again': (emulator) => emulator.act('mounts.remove', { mountId: '5GCZC_hvl79vKH-anLvHh' }),
  'application.delete/again': (emulator) =>
    emulator.act('application.delete', { applicationId: 'T26qNCi3-pAFMokFpRwYr' }),
  'application.one/after': (emulator) => emulator.act('application.delete', { applicationId: 'T26qNCi3-pAFMokFpRwYr' }),
  'volumeBackups.delete/again': (emulator) =>
    emulator.act('volumeBackups.delete', { volumeBackupId: '8IzxlpWlZy6efokJ5iaXu' }),
  'sshKey.remove/again': (emulator) => emulator.act('sshKey.remove', { sshKeyId: 'wWkIvVLzETcv8S6XDV7lX' }),
  'certificates.remove/again': (emulator) =>
    emulator.act('certificates.remove', { certificateId: 'U3mxzf4fDl8yf6MoG5UBK' }),
  'ai.delete/again': (emulator) => emulator.act('ai.delete', { aiId: 'yay0hEUukLiE9ny2zNPcO' }),
  'bucketgit.one/after': (emulator) => emulator.act('gitProvider.remove', { gitProviderId: 'WYghYsTgD-ehyhh-j45we' }),
  'domain.delete/again': (emulator) => emulator.act('domain.delete', { domainId: 'RsTkMqyQB6n-Ao1C6h7Oe' }),
  'environment.remove/again': (emulator) =>
    emulator.act('environment.remove', { environmentId: 'm4pTVOP8bhRmP0i6uGegS' }),
  'organization.delete/again': (emulator) =>
    emulator.act('organization.delete', { organizationId: 'SHFZzs7QjUaTKX0iOyYPA' }),
  'organization.removeInvitation/again': (emulator) =>
    emulator.act('organization.removeInvitation', { invitationId: 'rksceHlPGWus-ipbFhiJB' }),
  'user.remove/again': (emulator) => emulator.act('user.remove', { userId: 'br-bjEEOwVvq5oRpJ5xxW' }),
  'user.deleteApiKey/again': (emulator) =>
    emulator.act('user.deleteApiKey', { apiKeyId: '8MR1nBa7kyZQRvhuJMkprBXkUgLWs1cY' }),
  'environment.one/after-project-remove': async (emulator) => {
    await emulator.act('redis.remove', { redisId: 'XzaRgps9kwiXvai80cMK7' });
    await emulator.act('environment.remove', { environmentId: 'YBPrKkezpyEiDgkgBMUsl' });
  },
};

const names = namesOf(document);

const folder = join(import.meta.dirname, '../fixtures/samples');

describe('the emulator answers as the platform was recorded to', () => {
  for (const file of readdirSync(folder).sort()) {
    const operation = file.replace(/\.json$/, '');
    const samples = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Sample[];
    for (const [name, sample] of named(operation, samples)) {
      const reason = acceptedDifferences[name];
      test(reason === undefined ? name : `${name} differs: ${reason}`, async () => {
        const emulator = await recordedWorld({ profile: 'standard' });
        await preparations[name]?.(emulator);
        const answer = await emulator.send(requestOf(name, sample));
        const { answered, recorded } = compared(answer, sample);
        if (reason === undefined) expect(answered).toEqual(recorded);
        else expect(answered).not.toEqual(recorded);
        const other = await recordedWorld();
        await preparations[name]?.(other);
        const again = await other.send(inWords(requestOf(name, sample)));
        const renamed = compared(again, { ...sample, response: names.data(sample.response) });
        expect(names.data(renamed.answered)).toEqual(answered);
        const shown = JSON.stringify(renamed.answered);
        expect(shown).not.toMatch(/hubgit|labgit|bucketgit|selfgit|billing|ProxyFiles|PlatformNetwork|acme_auto/);
      });
    }
  }
});

/** The operations of Dokploy, by their names in the API document. */
const own = new Map([...extendedContracts.standard.operations].map(([name, { path }]) => [path, name]));

/** The words of Dokploy for a request in those of the API document. */
function inWords({ path, body, ...request }: WireRequest): WireRequest {
  const [, operation = '', query] = /^\/api\/([^?]*)\??(.*)$/s.exec(path) ?? [];
  const asked = [...new URLSearchParams(query)].map(([name, value]): [string, string] => [
    Object.keys(names.data({ [name]: '' }) as object)[0] ?? name,
    value,
  ]);
  const content = (text: string): string => {
    try {
      return JSON.stringify(names.data(JSON.parse(text)));
    } catch {
      return text;
    }
  };
  const parameters = asked.length === 0 ? '' : `?${new URLSearchParams(asked).toString()}`;
  return {
    ...request,
    path: `/api/${own.get(operation) ?? operation}${parameters}`,
    body: body === undefined ? undefined : content(body),
  };
}

test('every preparation and every accepted difference belongs to a recorded case', () => {
  const names = new Set(
    readdirSync(folder).flatMap((file) => {
      const samples = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Sample[];
      return named(file.replace(/\.json$/, ''), samples).map(([name]) => name);
    }),
  );
  expect(
    [...Object.keys(preparations), ...Object.keys(acceptedDifferences)].filter((name) => !names.has(name)),
  ).toEqual([]);
});

/** What stands in the recordings for the private key that was sent, and one of its form. */
const keptBack = '(a PEM private key)';
const aKey = String.raw`-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n`;

function requestOf(name: string, { request }: Sample) {
  const body = name.endsWith('/body-1.1M') ? { description: 'd'.repeat(1_100_000) } : request.body;
  const isForm = name.endsWith('/form-content-type');
  return {
    method: request.method,
    path: request.path,
    headers: {
      'x-api-key': keyOfCase(name),
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    body: body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body).replace(keptBack, aKey),
  };
}
