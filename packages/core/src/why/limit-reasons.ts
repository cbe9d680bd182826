// From the limits that hold for a job to why they do not let it start: pure.
import type { ClaimFacts } from './claim-facts.ts'
import { type Found, instant, type Said } from './reason.ts'

/** A limit that holds for a job, and what it leaves. Instants are milliseconds since 1970. */
interface LimitFacts {
  readonly scope: 'queue' | 'kind' | 'key'
  readonly max_running: number | null
  readonly running: number
  /** How many more jobs it lets start now; more than any claim takes where it does not bound that. */
  readonly room: number
  readonly paused_at: number | null
  /** When its rate lets another start. */
  readonly opens_at: number | null
}

const codes = ['limit_paused', 'limit_full', 'rate_spent'] as const

/** Several limits may hold it back at once. */
export function limitReasons(facts: ClaimFacts): Found {
  const limits = JSON.parse(facts.limits) as readonly LimitFacts[]
  const about = limits.map((limit) => ({ code: codeOf(limit), limit }))
  const found = codes.map((code) => [
    code,
    about.filter((one) => one.code === code).map(({ limit }) => saidOf[code](limit, facts)),
  ])
  return {
    ...(Object.fromEntries(found) as Found),
    ...orderReason(facts),
    ...turnReason(facts, limits),
  }
}

function codeOf({ max_running: max, running, room, paused_at: pausedAt }: LimitFacts) {
  if (room > 0) return undefined
  if (pausedAt !== null) return 'limit_paused'
  return max !== null && running >= max ? 'limit_full' : 'rate_spent'
}

const saidOf: Readonly<Record<(typeof codes)[number], (limit: LimitFacts, facts: ClaimFacts) => Said>> = {
  limit_paused: ({ scope, paused_at: pausedAt }, facts) => ({
    message: `The jobs of ${whatOf[scope](facts)} are paused by its limit.`,
    ends: 'another limit for it, or none',
    since: instant(pausedAt),
    details: { ...aboutOf(scope, facts) },
  }),
  limit_full: ({ scope, max_running: max, running }, facts) => ({
    message: `${running} of at most ${max} jobs of ${whatOf[scope](facts)} run.`,
    ends: 'the end of one of them, or a larger limit',
    details: { ...aboutOf(scope, facts), limit: max, jobs: running, heldBy: holdersOf(scope, facts) },
  }),
  rate_spent: ({ scope, opens_at: opensAt }, facts) => ({
    message: `The rate at which jobs of ${whatOf[scope](facts)} may start is spent.`,
    ends: 'its time, or a larger limit',
    until: instant(opensAt),
    details: { ...aboutOf(scope, facts) },
  }),
}

/** A key itself may be sensitive, and is not said. */
const whatOf: Readonly<Record<LimitFacts['scope'], (facts: ClaimFacts) => string>> = {
  queue: ({ queue }) => `the queue ${queue}`,
  kind: ({ queue, kind }) => `the kind ${kind} in the queue ${queue}`,
  key: ({ queue }) => `its key in the queue ${queue}`,
}

const aboutOf = (scope: LimitFacts['scope'], { queue, kind }: ClaimFacts) => ({
  scope,
  queue,
  kind: scope === 'kind' ? kind : null,
})

function holdersOf(scope: LimitFacts['scope'], { holders }: ClaimFacts): readonly string[] | null {
  if (holders === null) return null
  return (JSON.parse(holders) as Partial<Record<LimitFacts['scope'], readonly string[]>>)[scope] ?? []
}

function orderReason({ id, queue, is_in_order: isInOrder, next_id: nextId, holders }: ClaimFacts): Found {
  if (!isInOrder || nextId === null || nextId === id) return {}
  return {
    behind_in_order: {
      message: 'The jobs of its key start one after the other, and another one comes first.',
      ends: 'the start and the end of that job, or of all that come first',
      details: { queue, scope: 'key', heldBy: holders !== null && nextId !== null ? [nextId] : null },
    },
  }
}

/** Where others are due, whoever comes first takes what a limit leaves. */
function turnReason({ queue, due }: ClaimFacts, limits: readonly LimitFacts[]): Found {
  const room = Math.min(...limits.map((limit) => limit.room))
  if (due === null || room <= 0 || due <= room) return {}
  return {
    waits_turn: {
      blocking: false,
      message: `Its limits let ${room} start now, and ${due} jobs of the queue ${queue} are due, each counted as often as it weighs.`,
      ends: 'its turn, or a larger limit',
      details: { queue, limit: room, jobs: due },
    },
  }
}
