import type { Random } from '../nemesis/random.ts'
import { type Needs, tooSeldom } from '../run/conclude.ts'
import type { Fate } from './fault-proxy.ts'

/** What a nemesis of the wire does to the statements that pass it. */
export interface Cuts {
  readonly decide: (statement: string) => Fate
  /** How often each kind of statement was cut, as `<kind>, before` and `<kind>, after`. */
  readonly counts: Readonly<Record<string, number>>
  readonly total: number
  /** Whether as much was cut as the run is to have, and each needed kind often enough. */
  readonly done: boolean
  /** How often each needed kind was cut on either side, and how often it must have been. */
  readonly needs: Needs
}

export interface CutsOptions {
  readonly random: Random
  /** So many cuts, and more only of a needed kind that was cut too seldom by then. */
  readonly count: number
  /** The share of the statements of a known kind that are cut. */
  readonly share: number
  /** What the statement does, or undefined when it is let alone. */
  readonly kindOf: (statement: string) => string | undefined
  /** The kinds without which the run proves nothing. */
  readonly needed: readonly string[]
}

type CutFate = Exclude<Fate, 'pass'>

const cutFates: readonly CutFate[] = ['cut before', 'cut after']
const opposite = { 'cut before': 'cut after', 'cut after': 'cut before' } as const
/** Each side of a needed kind has at least this share of all cuts. */
const neededShare = 1 / 50

/**
 * Cuts statements of known kinds at random, as often before they reach the server as after they took effect: of each two
 * cuts of a kind, the second is on the other side.
 */
export function createCuts({ random, count, share, kindOf, needed }: CutsOptions): Cuts {
  const counts: Record<string, number> = {}
  const due = new Map<string, CutFate>()
  let total = 0
  const needsOf = (kinds: readonly string[]): Needs =>
    Object.fromEntries(
      kinds
        .flatMap((kind) => cutFates.map((fate) => nameOf(kind, fate)))
        .map((name) => [`cuts: ${name}`, { seen: counts[name] ?? 0, min: count * neededShare }]),
    )
  const isShort = (kind: string): boolean => needed.includes(kind) && tooSeldom(needsOf([kind])) !== undefined
  const fateOf = (kind: string): CutFate => {
    const second = due.get(kind)
    const fate = second ?? random.pick(cutFates)
    if (second === undefined) due.set(kind, opposite[fate])
    else due.delete(kind)
    return fate
  }
  return {
    counts,
    get total() {
      return total
    },
    get done() {
      return total >= count && !needed.some(isShort)
    },
    get needs() {
      return needsOf(needed)
    },
    decide: (statement) => {
      const kind = kindOf(statement)
      if (kind === undefined || (total >= count && !isShort(kind)) || !random.chance(share)) return 'pass'
      const fate = fateOf(kind)
      const name = nameOf(kind, fate)
      counts[name] = (counts[name] ?? 0) + 1
      total += 1
      return fate
    },
  }
}

function nameOf(kind: string, fate: CutFate): string {
  return `${kind}, ${fate === 'cut before' ? 'before' : 'after'}`
}
