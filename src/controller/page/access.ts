import { userInfo } from 'node:os';
import { usage } from '../../diagnostics/usage.ts';
import { readSecretFile } from '../secret-file.ts';
import type { Settings } from '../settings.ts';
import { newSignInCode } from './sign-in/link.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { ApiToken } from './tokens.ts';

/** How people and programs are known, with the secrets of their files. */
export interface Access {
  readonly signIn: SignIn;
  readonly tokens: readonly ApiToken[];
}

/** Fewest characters of a secret that others could guess at. */
const minLength = 32;

/** What settings say of people and programs; without `signIn`, a link signs in the one user of this machine. */
interface AccessSettings {
  readonly signIn?: Settings['signIn'] | undefined;
  readonly tokens: Settings['tokens'];
}

/** Reads the files of secrets that settings name. @throws {Stop} `usage`, where one is missing, short, or has two uses */
export async function readAccess({ signIn, tokens }: AccessSettings): Promise<Access> {
  const read = await Promise.all(
    tokens.map(async ({ tokenFile, ...token }) => ({ ...token, token: await readLongSecret(tokenFile) })),
  );
  const twice = read.find(({ token }, at) => read.findIndex((one) => one.token === token) !== at);
  if (twice !== undefined)
    throw usage(`The token ${twice.name} is also that of another entry`, 'Give each program a token of its own.');
  return { signIn: await readSignIn(signIn), tokens: read };
}

async function readSignIn({ oidc, proxy }: NonNullable<Settings['signIn']> = {}): Promise<SignIn> {
  if (oidc !== undefined) {
    const { clientSecretFile, ...rest } = oidc;
    return { oidc: { ...rest, clientSecret: await readSecretFile(clientSecretFile) } };
  }
  if (proxy === undefined) return { link: { code: newSignInCode(), name: userInfo().username } };
  const { secretFile, ...rest } = proxy;
  return { proxy: { ...rest, secret: await readLongSecret(secretFile) } };
}

/** A secret of a request, which is one word. */
async function readLongSecret(path: string): Promise<string> {
  const secret = await readSecretFile(path);
  if (secret.length < minLength || !/^[!-~]+$/.test(secret))
    throw usage(
      `${path} must have ${minLength} letters, digits and signs or more, without blanks`,
      `Write a random one into it: openssl rand -hex 32`,
    );
  return secret;
}
