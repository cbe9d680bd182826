import { isDeepStrictEqual } from 'node:util'
import type { TestDatabase } from '@queue/testing'
import type { Random } from '../nemesis/random.ts'
import type { ScenarioContext } from '../scenarios/scenario.ts'
import type { CheckedApi } from './checked-api.ts'

/** One of the attacks of a run. They share the API and come one after the other. */
export interface Attack {
  readonly api: CheckedApi
  readonly database: TestDatabase
  readonly random: Random
  report(fault: string): void
  count(event: string): void
  /** Repeats a round, so many at once, until the requests of the attack are spent. Each has its number and its own draws. */
  rounds(atOnce: number, round: (n: number, random: Random) => Promise<void>): Promise<void>
}

export interface AttackOptions {
  readonly api: CheckedApi
  readonly database: TestDatabase
  readonly context: ScenarioContext
  readonly counts: Map<string, number>
  readonly faults: string[]
}

/** How many faults of an attack are told: the first ones say enough. */
const faultsMax = 30

/** Opens an attack with this number of requests. */
export function openAttack(
  { api, database, context, counts, faults }: AttackOptions,
  name: string,
  requests: number,
): Attack {
  const random = context.random.fork(name)
  let reported = 0
  return {
    api,
    database,
    random,
    report: (fault) => {
      reported += 1
      if (reported <= faultsMax) faults.push(`${name}: ${fault}`)
    },
    count: (event) => counts.set(event, (counts.get(event) ?? 0) + 1),
    rounds: async (atOnce, round) => {
      const sentMax = api.sent + requests
      let n = 0
      const repeat = async (): Promise<void> => {
        while (api.sent < sentMax) {
          context.signal.throwIfAborted()
          n += 1
          context.progress(`${api.sent} of ${context.size.count} requests`)
          await round(n, random.fork(`round ${n}`))
        }
      }
      await Promise.all(Array.from({ length: atOnce }, repeat))
    },
  }
}

/** Whether `value` has all that `part` has. */
export function hasPart(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return isDeepStrictEqual(value, part)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(part).every(([name, member]) => hasPart(Reflect.get(value, name), member))
}
