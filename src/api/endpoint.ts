import * as z from 'zod';
import { once } from './once.ts';

/** One operation of the platform's API: how it is called and what it takes. */
export interface Endpoint<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** GET reads and takes a query; POST acts and takes a JSON body. */
  readonly method: 'GET' | 'POST';
  /** Every documented member; a name that is not in it is refused, because the platform would drop it silently. */
  readonly input: z.ZodObject<Shape>;
}

/** Declares an operation that reads. Never throws. */
export function get<const Shape extends z.ZodRawShape>(
  shape: () => Shape,
): Endpoint<Shape> & { readonly method: 'GET' } {
  return endpoint('GET', () => z.strictObject(shape()));
}

/** Declares an operation that acts. Never throws. */
export function post<const Shape extends z.ZodRawShape>(
  shape: () => Shape,
  options: { openEnded?: boolean } = {},
): Endpoint<Shape> & { readonly method: 'POST' } {
  return endpoint('POST', () => {
    const input = z.strictObject(shape());
    return options.openEnded === true ? input.loose() : input;
  });
}

/** A run uses few of the operations: the schema of each is built when it is used first. */
function endpoint<Method extends Endpoint['method'], Shape extends z.ZodRawShape>(
  method: Method,
  build: () => z.ZodObject<Shape>,
): Endpoint<Shape> & { readonly method: Method } {
  const input = once(build);
  return {
    method,
    get input() {
      return input();
    },
  };
}
