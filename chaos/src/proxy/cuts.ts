import type { Random } from '../nemesis/random.ts'
import type { Fate } from './fault-proxy.ts'

/** What a nemesis of the wire does to the statements that pass it. */
export interface Cuts {
  readonly decide: (statement: string) => Fate
  /** How often each kind of statement was cut, as `<kind>, before` and `<kind>, after`. */
  readonly counts: Readonly<Record<string, number>>
  readonly total: number
}

export interface CutsOptions {
  readonly random: Random
  /** Cuts at most; then everything passes. */
  readonly max: number
  /** The share of the statements of a known kind that are cut. */
  readonly share: number
  /** What the statement does, or undefined when it is let alone. */
  readonly kindOf: (statement: string) => string | undefined
}

/** Cuts statements of known kinds at random, as often before they reach the server as after they took effect. */
export function createCuts({ random, max, share, kindOf }: CutsOptions): Cuts {
  const counts: Record<string, number> = {}
  let total = 0
  return {
    counts,
    get total() {
      return total
    },
    decide: (statement) => {
      const kind = kindOf(statement)
      if (kind === undefined || total >= max || !random.chance(share)) return 'pass'
      const fate: Fate = random.chance(0.5) ? 'cut before' : 'cut after'
      const name = `${kind}, ${fate === 'cut before' ? 'before' : 'after'}`
      counts[name] = (counts[name] ?? 0) + 1
      total += 1
      return fate
    },
  }
}
