/** A stream of pseudo-random numbers that depends only on the seed: the same seed makes the same decisions. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** A whole number, uniform in [low, high]. */
  between(low: number, high: number): number
  /** One of `items`, which must not be empty. */
  pick<Item>(items: readonly Item[]): Item
  /** True with this probability. */
  chance(probability: number): boolean
  /** A separate stream for one purpose, which does not depend on how often other streams are used. */
  fork(purpose: string): Random
}

/** Items to pick from, each as often as its number says. */
export function repeated<Item>(weights: readonly (readonly [number, Item])[]): readonly Item[] {
  return weights.flatMap(([times, item]) => Array.from({ length: times }, () => item))
}

/** Mulberry32, a 32-bit generator by Tommy Ettinger. Its numbers need no secrecy and no long period. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    pick: (items) => {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error('there is nothing to pick from')
      return item
    },
    chance: (probability) => next() < probability,
    fork: (purpose) => createRandom(hashOf(`${seed}:${purpose}`)),
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93) >>> 0
  }
  return hash
}
