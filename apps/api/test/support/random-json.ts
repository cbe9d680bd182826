/** Draws that a seed repeats. */
export interface Random {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number
  bits64(): bigint
}

/** A small generator (mulberry32): good enough to vary tests, and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    below: (bound) => Math.floor((next() / 2 ** 32) * bound),
    bits64: () => (BigInt(next()) << 32n) | BigInt(next()),
  }
}

const words = [
  '',
  'a',
  'proto',
  '__proto',
  '\\u005f',
  '[[[',
  '"',
  '\u2028',
  '🦀',
  ': -0',
  '12345678901234567890',
  'x'.repeat(70),
]

/** A JSON document whose numbers are exact and that has no member named `__proto__`. */
export function randomJson(random: Random, depth: number): unknown {
  const word = () => words[random.below(words.length)] ?? ''
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return null
    case 1:
      return random.below(2) === 0
    case 2:
      return random.below(1_000_000) - 500_000
    case 3:
      return random.below(1_000_000) / 1_024
    case 4:
      return 2 ** random.below(1_000)
    case 5:
      return word() + word()
    case 6:
      return Array.from({ length: random.below(5) }, () => randomJson(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [
          word() + String(random.below(9)),
          randomJson(random, depth - 1),
        ]),
      )
  }
}
