import { generateKeyPair, randomBytes, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);

/**
 * Makes a key pair in the formats of OpenSSH, without a passphrase.
 * An RSA key has 2048 bits, half of what the platform takes: those of 4096 are seconds in the making.
 */
export async function makeSshKeyPair(type: 'rsa' | 'ed25519'): Promise<{ privateKey: string; publicKey: string }> {
  const parts = type === 'rsa' ? await rsaParts() : await ed25519Parts();
  const publicKey = Buffer.concat(parts.public.map(field));
  return {
    privateKey: privateText(publicKey, parts.private),
    publicKey: `ssh-${type} ${base64(publicKey)} ${comment}`,
  };
}

type Part = Buffer | string;

async function ed25519Parts(): Promise<{ public: Part[]; private: Part[] }> {
  const jwk = (await generate('ed25519')).privateKey.export({ format: 'jwk' });
  const point = bytes(jwk, 'x');
  return { public: ['ssh-ed25519', point], private: ['ssh-ed25519', point, Buffer.concat([bytes(jwk, 'd'), point])] };
}

async function rsaParts(): Promise<{ public: Part[]; private: Part[] }> {
  const jwk = (await generate('rsa', { modulusLength: 2048 })).privateKey.export({ format: 'jwk' });
  const numbers = (members: readonly (keyof JsonWebKey)[]) => members.map((member) => number(bytes(jwk, member)));
  return {
    public: ['ssh-rsa', ...numbers(['e', 'n'])],
    private: ['ssh-rsa', ...numbers(['n', 'e', 'd', 'qi', 'p', 'q'])],
  };
}

/** The private key as text: the format `openssh-key-v1` with one key and no cipher. */
function privateText(publicKey: Buffer, parts: readonly Part[]): string {
  const check = randomBytes(4);
  const secret = Buffer.concat([check, check, ...parts.map(field), field(comment)]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, -secret.length & 7));
  const content = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(field),
    Buffer.from([0, 0, 0, 1]),
    field(publicKey),
    field(Buffer.concat([secret, padding])),
  ]);
  const lines = base64(content).match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

/** A part with its length before it. */
function field(part: Part): Buffer {
  const content = Buffer.from(part);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

/** A positive number in as few bytes as possible; the first byte must not look like a sign. */
function number(content: Buffer): Buffer {
  const digits = content.subarray(content.findIndex((byte) => byte !== 0));
  return (digits[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), digits]) : digits;
}

function bytes(jwk: JsonWebKey, member: keyof JsonWebKey): Buffer {
  return Buffer.from(String(jwk[member]), 'base64url');
}

function base64(content: Buffer): string {
  return content.toString('base64');
}

const comment = 'platform';
