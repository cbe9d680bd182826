import { keyCacheEntriesMax } from '../http/limits.ts'

/** Token buckets of this process, by name; each is full when it is first named. */
export interface Allowances {
  /** Takes one; false where there is none. */
  take(name: string): boolean
  /** Gives one back. */
  restore(name: string): void
}

export interface AllowancesOptions {
  /** So many at once, … */
  readonly burst: number
  /** … and then so many a second. */
  readonly perSecond: number
  /** Milliseconds; what matters is how many pass. */
  readonly nowMs: () => number
}

interface Allowance {
  left: number
  atMs: number
}

export function createAllowances({ burst, perSecond, nowMs }: AllowancesOptions): Allowances {
  const allowances = new Map<string, Allowance>()
  const allowanceOf = (name: string): Allowance => {
    const atMs = nowMs()
    const known = allowances.get(name) ?? { left: burst, atMs }
    known.left = Math.min(burst, known.left + (Math.max(0, atMs - known.atMs) * perSecond) / 1_000)
    known.atMs = atMs
    // The last that came is the last to go.
    allowances.delete(name)
    allowances.set(name, known)
    if (allowances.size > keyCacheEntriesMax) allowances.delete(allowances.keys().next().value ?? name)
    return known
  }
  return {
    take: (name) => {
      const allowance = allowanceOf(name)
      if (allowance.left < 1) return false
      allowance.left -= 1
      return true
    },
    restore: (name) => void (allowanceOf(name).left += 1),
  }
}
