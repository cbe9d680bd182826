import { keyBytesShare } from '../http/limits.ts'
import { quotaKeyOf } from '../http/principal.ts'
import { Problem } from '../http/problem.ts'
import type { ProblemSlug } from '../http/problem-types.ts'
import type { RequestContext } from '../http/request-context.ts'

/** A resource of this process that is limited for each key or subject, so that one client cannot use all of it. */
export interface Budget {
  /** Reserves an amount until the request has ended. Throws the problem of the budget if too much is in use. */
  take(context: RequestContext, amount: number): void
}

export interface BudgetOptions {
  /** Maximum use of the requests of one key or subject at a time. */
  readonly max: number
  readonly problem: ProblemSlug
  readonly detail: string
}

/** Callers with API_TOKEN or without authentication are not limited. */
function createBudget({ max, problem, detail }: BudgetOptions): Budget {
  const used = new Map<string, number>()
  return {
    take: (context, amount) => {
      const { principal } = context
      const quotaKey = principal && quotaKeyOf(principal)
      if (quotaKey === undefined) return
      const usedBefore = used.get(quotaKey) ?? 0
      if (usedBefore + amount > max) throw new Problem(problem, { detail })
      if (context.isClosed) return
      used.set(quotaKey, usedBefore + amount)
      context.onClose(() => {
        const stillUsed = (used.get(quotaKey) ?? amount) - amount
        if (stillUsed > 0) used.set(quotaKey, stillUsed)
        else used.delete(quotaKey)
      })
    },
  }
}

/** A budget of all callers together, whatever their credential. */
function createTotal({ max, problem, detail }: BudgetOptions): Budget {
  let used = 0
  return {
    take: (context, amount) => {
      if (used + amount > max) throw new Problem(problem, { detail })
      if (context.isClosed) return
      used += amount
      context.onClose(() => (used -= amount))
    },
  }
}

/** What the requests of one key can use of this process at a time. */
export interface KeyBudgets {
  readonly requests: Budget
  readonly streams: Budget
  readonly waits: Budget
  readonly bytes: Budget
  /** What the values of bodies take, in bytes: a text that has arrived must not keep another from being parsed. */
  readonly values: Budget
}

export interface KeyBudgetLimits {
  /** Unanswered requests, each of which holds a connection to this process. */
  readonly requestsMax: number
  /** Open event streams. */
  readonly streamsMax: number
  /** Requests with `Prefer: wait`. */
  readonly waitsMax: number
  /** Bytes of the bodies of unanswered requests, and as many for their values. All callers together have a multiple of it. */
  readonly bytesMax: number
}

export function createKeyBudgets({
  requestsMax,
  streamsMax,
  waitsMax,
  bytesMax,
}: KeyBudgetLimits): KeyBudgets {
  return {
    requests: createBudget({
      max: requestsMax,
      problem: 'too_many_requests',
      detail:
        `this credential has ${requestsMax} unanswered requests in this process, the maximum, and this one was not begun: ` +
        'send fewer at a time',
    }),
    streams: createBudget({
      max: streamsMax,
      problem: 'too_many_streams',
      detail: `this credential has ${streamsMax} open streams in this process, the maximum: close one, or wait for one to end`,
    }),
    waits: createBudget({
      max: waitsMax,
      problem: 'too_many_waits',
      detail:
        `${waitsMax} requests of this credential wait for jobs in this process, the maximum: send this one without ` +
        'Prefer: wait',
    }),
    bytes: createBytesBudget(bytesMax),
    values: createBytesBudget(bytesMax),
  }
}

function createBytesBudget(max: number): Budget {
  const totalMax = max / keyBytesShare
  const own = createBudget({
    max,
    problem: 'too_many_bytes',
    detail: `the request bodies of this credential in this process exceed ${max} bytes together: send fewer at a time`,
  })
  const total = createTotal({
    max: totalMax,
    problem: 'overloaded',
    detail: `the request bodies in this process exceed ${totalMax} bytes together, and nothing was done: retry after Retry-After`,
  })
  return {
    take: (context, amount) => {
      own.take(context, amount)
      // A request that is refused here ends, and with it its part of its own budget.
      total.take(context, amount)
    },
  }
}
