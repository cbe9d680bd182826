import { countedAs } from '../http/principal.ts'
import { Problem, type ProblemSlug } from '../http/problem.ts'
import type { RequestContext } from '../http/request-context.ts'

/** A share of something that this process has, for each key or subject: one client cannot take all of it. */
export interface Budget {
  /** Takes so much for whoever sent this request, until the request is over. Throws the budget's problem. */
  take(context: RequestContext, amount: number): void
}

export interface BudgetOptions {
  /** How much the requests of one key or subject may have at once. */
  readonly max: number
  readonly problem: ProblemSlug
  /** What to do about it. */
  readonly advice: string
}

/** Requests of the token, and of an API that asks for no credentials, are not counted: whoever sends those may do anything. */
function createBudget({ max, problem, advice }: BudgetOptions): Budget {
  const taken = new Map<string, number>()
  return {
    take: ({ principal, closed }, amount) => {
      const name = principal && countedAs(principal)
      if (name === undefined) return
      const before = taken.get(name) ?? 0
      if (before + amount > max) throw new Problem(problem, { detail: advice })
      if (closed.aborted) return
      taken.set(name, before + amount)
      const release = (): void => {
        const left = (taken.get(name) ?? amount) - amount
        if (left > 0) taken.set(name, left)
        else taken.delete(name)
      }
      closed.addEventListener('abort', release, { once: true })
    },
  }
}

/** How much of this process the requests of one key may have at once. */
export interface KeyBudgets {
  readonly streams: Budget
  readonly waits: Budget
  readonly bytes: Budget
}

export interface KeyBudgetLimits {
  /** Open streams of events. */
  readonly streamsMax: number
  /** Requests with `Prefer: wait`. */
  readonly waitsMax: number
  /** Bytes of bodies whose requests are not answered yet. */
  readonly bytesMax: number
}

export function createKeyBudgets({ streamsMax, waitsMax, bytesMax }: KeyBudgetLimits): KeyBudgets {
  return {
    streams: createBudget({
      max: streamsMax,
      problem: 'too_many_streams',
      advice: `this key has ${streamsMax} streams open here, the most that it may: close one, or wait for one to end`,
    }),
    waits: createBudget({
      max: waitsMax,
      problem: 'too_many_waits',
      advice: `${waitsMax} requests with this key wait here, the most that may: send fewer at once, or without Prefer: wait`,
    }),
    bytes: createBudget({
      max: bytesMax,
      problem: 'too_many_bytes',
      advice: `requests with this key have ${bytesMax} bytes under way here, the most that they may: send fewer at once`,
    }),
  }
}
