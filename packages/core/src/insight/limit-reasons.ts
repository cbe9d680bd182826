// The reasons that come from limits, computed from the facts without side effects.
import type { ClaimFacts } from './claim-facts.ts'
import { instant, type ReasonContent, type ReasonsByCode } from './reason.ts'

/** A limit that applies to a job, and what it leaves. Instants are in milliseconds since 1970. */
interface LimitFacts {
  readonly scope: 'queue' | 'kind' | 'key'
  readonly max_running: number | null
  readonly running: number
  /** How many more jobs the limit allows to start now; more than any claim takes where it sets no such bound. */
  readonly room: number
  readonly paused_at: number | null
  /** When its rate allows the next start. */
  readonly opens_at: number | null
}

const limitCodes = ['limit_paused', 'limit_full', 'rate_spent'] as const

/** The reasons that come from limits. Several limits may hold the job back at once. */
export function limitReasons(facts: ClaimFacts): ReasonsByCode {
  const all = JSON.parse(facts.limits) as readonly LimitFacts[]
  // That one job of an ordered key runs at a time is not a limit that can be raised.
  const isOrder = (limit: LimitFacts) =>
    facts.is_in_order && limit.scope === 'key' && codeOf(limit) === 'limit_full'
  const limits = all.filter((limit) => !isOrder(limit))
  const byCode = limitCodes.map((code) => {
    const limitsWithCode = limits.filter((limit) => codeOf(limit) === code)
    return [code, limitsWithCode.map((limit) => limitReason[code](limit, facts))]
  })
  return {
    ...(Object.fromEntries(byCode) as ReasonsByCode),
    ...orderReason(facts, all.some(isOrder)),
    ...turnReason(facts, limits),
  }
}

function codeOf({ max_running: max, running, room, paused_at: pausedAt }: LimitFacts) {
  if (room > 0) return undefined
  if (pausedAt !== null) return 'limit_paused'
  return max !== null && running >= max ? 'limit_full' : 'rate_spent'
}

const limitReason: Readonly<
  Record<(typeof limitCodes)[number], (limit: LimitFacts, facts: ClaimFacts) => ReasonContent>
> = {
  limit_paused: ({ scope, paused_at: pausedAt }, facts) => ({
    message: `A limit pauses the jobs of ${limitSubject[scope](facts)}.`,
    ends: 'set the limit without its pause, or delete it',
    since: instant(pausedAt),
    details: { ...detailsOf(scope, facts) },
  }),
  limit_full: ({ scope, max_running: max, running }, facts) => ({
    message: `The limit of ${limitSubject[scope](facts)} is reached: ${running} of at most ${max} jobs are running.`,
    ends: 'wait for one of them to end, or raise the limit',
    details: { ...detailsOf(scope, facts), limit: max, jobs: running, heldBy: holdersOf(scope, facts) },
  }),
  rate_spent: ({ scope, opens_at: opensAt }, facts) => ({
    message: `The rate limit of ${limitSubject[scope](facts)} is used up.`,
    ends: 'wait for its next token, or raise the limit',
    until: instant(opensAt),
    details: { ...detailsOf(scope, facts) },
  }),
}

/** What a limit applies to. The job itself names its key. */
const limitSubject: Readonly<Record<LimitFacts['scope'], (facts: ClaimFacts) => string>> = {
  queue: ({ queue }) => `the queue ${queue}`,
  kind: ({ queue, kind }) => `the kind ${kind} in the queue ${queue}`,
  key: ({ queue }) => `this key in the queue ${queue}`,
}

const detailsOf = (scope: LimitFacts['scope'], { queue, kind }: ClaimFacts) => ({
  scope,
  queue,
  kind: scope === 'kind' ? kind : null,
})

function holdersOf(scope: LimitFacts['scope'], { holders }: ClaimFacts): readonly string[] | null {
  if (holders === null) return null
  return (JSON.parse(holders) as Partial<Record<LimitFacts['scope'], readonly string[]>>)[scope] ?? []
}

function orderReason(facts: ClaimFacts, isRunning: boolean): ReasonsByCode {
  const { id, queue, is_in_order: isInOrder, next_id: nextId, holders } = facts
  if (isRunning) {
    return {
      behind_in_order: {
        message: 'The jobs of this key start in order, and another job is running.',
        ends: 'wait for that job to end',
        details: { queue, scope: 'key', heldBy: holdersOf('key', facts) },
      },
    }
  }
  if (!isInOrder || nextId === null || nextId === id) return {}
  return {
    behind_in_order: {
      message: 'The jobs of this key start in order, and another job comes first.',
      ends: 'wait for the jobs that come first to end',
      details: { queue, scope: 'key', heldBy: holders !== null && nextId !== null ? [nextId] : null },
    },
  }
}

/** Where more jobs are due than a limit allows to start, the first ones start. */
function turnReason({ queue, due }: ClaimFacts, limits: readonly LimitFacts[]): ReasonsByCode {
  const room = Math.min(...limits.map((limit) => limit.room))
  if (due === null || room <= 0 || due <= room) return {}
  return {
    waits_turn: {
      blocking: false,
      message: `The limits of this job allow ${room} starts now, and jobs with a total weight of ${due} are due in the queue ${queue}.`,
      ends: 'wait for its turn, or raise the limit',
      details: { queue, limit: room, jobs: due },
    },
  }
}
