import { env } from './env.ts';
import { file } from './file.ts';
import { ref } from './ref.ts';
import { secret } from './secret.ts';
import type { ExpressionSource } from './source.ts';
import { variable } from './var.ts';

/** The sources of a manifest; anything else in `${…}` is text and belongs to compose files and to the platform. */
export const expressionSources: readonly ExpressionSource[] = [env, variable, file, secret, ref];
