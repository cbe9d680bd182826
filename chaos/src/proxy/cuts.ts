import type { Random } from '../nemesis/random.ts'
import { type Minimums, tooFewReason } from '../run/conclude.ts'
import type { CutDecision } from './fault-proxy.ts'

/** Decides which statements that pass the proxy have their connection cut. */
export interface Cuts {
  readonly decide: (statement: string) => CutDecision
  /** How often each kind of statement was cut: `<kind>, before` and `<kind>, after`. */
  readonly counts: Readonly<Record<string, number>>
  readonly total: number
  /** Whether there were enough cuts in total, and of each needed kind. */
  readonly done: boolean
  /** How often each needed kind was cut before and after the server, and how often it must be. */
  readonly minimums: Minimums
}

export interface CutsOptions {
  readonly random: Random
  /** The number of cuts. More follow only for needed kinds that were cut too rarely. */
  readonly count: number
  /** The share of the statements of known kinds that are cut. */
  readonly share: number
  /** The kind of a statement; undefined if it is never cut. */
  readonly kindOf: (statement: string) => string | undefined
  /** The kinds that must be cut for the run to prove anything. */
  readonly needed: readonly string[]
}

type CutKind = Exclude<CutDecision, 'pass'>

const cutKinds: readonly CutKind[] = ['cut before', 'cut after']
const opposite = { 'cut before': 'cut after', 'cut after': 'cut before' } as const
/** The minimum share of all cuts for each needed kind, before and after the server. */
const neededShare = 1 / 50

/**
 * Cuts statements of known kinds at random, as often before they reach the server as after they took effect: every second cut
 * of a kind is the opposite of the one before.
 */
export function createCuts({ random, count, share, kindOf, needed }: CutsOptions): Cuts {
  const counts: Record<string, number> = {}
  const pairedCut = new Map<string, CutKind>()
  let total = 0
  const minimumsOf = (kinds: readonly string[]): Minimums =>
    Object.fromEntries(
      kinds
        .flatMap((kind) => cutKinds.map((cut) => nameOf(kind, cut)))
        .map((name) => [`cuts: ${name}`, { count: counts[name] ?? 0, min: count * neededShare }]),
    )
  const isShort = (kind: string): boolean =>
    needed.includes(kind) && tooFewReason(minimumsOf([kind])) !== undefined
  const nextCutOf = (kind: string): CutKind => {
    const second = pairedCut.get(kind)
    const cut = second ?? random.pick(cutKinds)
    if (second === undefined) pairedCut.set(kind, opposite[cut])
    else pairedCut.delete(kind)
    return cut
  }
  return {
    counts,
    get total() {
      return total
    },
    get done() {
      return total >= count && !needed.some(isShort)
    },
    get minimums() {
      return minimumsOf(needed)
    },
    decide: (statement) => {
      const kind = kindOf(statement)
      if (kind === undefined || (total >= count && !isShort(kind)) || !random.chance(share)) return 'pass'
      const cut = nextCutOf(kind)
      const name = nameOf(kind, cut)
      counts[name] = (counts[name] ?? 0) + 1
      total += 1
      return cut
    },
  }
}

function nameOf(kind: string, cut: CutKind): string {
  return `${kind}, ${cut === 'cut before' ? 'before' : 'after'}`
}
