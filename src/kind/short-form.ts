import type { Json } from '../formats/json.ts';

/** A block that a value in the short form of another tool means. */
export interface ShortBlock {
  /** Its key, where the value names one. */
  readonly key?: string | undefined;
  /** Its values, by field. */
  readonly fields: Readonly<Record<string, Json>>;
  /** Fields that it needs and the value leaves open, each with the reason. */
  readonly open?: Readonly<Record<string, string>> | undefined;
  /** What the value says and no block can say. */
  readonly lost?: string | undefined;
}

/**
 * Reads a value that people write where a block belongs, such as `8080:80`. `key`: the value stands below this key; without
 * it, in a list. Gives no block for a value that has none of the forms it knows; undefined leaves it to the engine, which takes
 * an item of a list for the key of a block. Pure.
 */
export type ReadShort = (value: string, key?: string) => readonly ShortBlock[] | undefined;
