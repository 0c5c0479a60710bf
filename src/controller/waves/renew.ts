import { type Labelled, type WaveSettings, waveOf } from './steps.ts';

/** A wave that is open, with those of its stacks that still want what it brings them. */
interface OpenWave<Stack> {
  readonly name: string;
  /** All of its stacks, by their ids. */
  readonly members: ReadonlySet<string>;
  readonly stacks: readonly Stack[];
}

/** What a commit makes of the waves of its source: some are over, and these stacks are in waves then. */
interface Renewal<Wave, Stack> {
  readonly over: readonly Wave[];
  /** Those of the commit first. */
  readonly stacks: readonly Stack[];
}

/**
 * Says which open waves a commit ends, and which stacks the waves after it have: those that it changes, and those that a wave was on
 * its way to. A wave goes on where the commit changes none of its stacks and begins none of its name.
 */
export function renew<Stack extends Labelled, Wave extends OpenWave<Stack>>(
  waves: readonly WaveSettings[],
  open: readonly Wave[],
  changed: readonly Stack[],
): Renewal<Wave, Stack> {
  const stacks = new Map(changed.map((stack) => [stack.id, stack]));
  const over = new Set<Wave>();
  for (;;) {
    const names = new Set([...stacks.values()].map((stack) => waveOf(waves, stack)?.name));
    const ended = open.filter(
      (wave) => !over.has(wave) && (names.has(wave.name) || [...wave.members].some((id) => stacks.has(id))),
    );
    if (ended.length === 0) return { over: [...over], stacks: [...stacks.values()] };
    for (const wave of ended) {
      over.add(wave);
      for (const stack of wave.stacks) if (!stacks.has(stack.id)) stacks.set(stack.id, stack);
    }
  }
}
