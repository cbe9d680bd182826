import type { Limit, LimitTarget, QueueKey, SetLimit } from '@queue/client'
import { client, readKeyLimit } from '../api/client.ts'
import { type Expected, keyId, type KeyOfQueue, limitId } from '../api/expected.ts'
import { serverNow } from '../shell/clock.ts'
import { formatSpan, plural } from '../ui/format.ts'
import type { Act, Mutation } from './act.ts'
import type { ActCode } from './code.ts'

/** What a limit is about, as `every key of mail`. */
export function aboutLimit({
  queue,
  scope,
  name,
}: Pick<Limit, 'queue' | 'scope'> & { name?: string | null }): string {
  switch (scope) {
    case 'queue':
      return `all of ${queue}`
    case 'kind':
      return `the kind ${name ?? ''} in ${queue}`
    case 'key':
      return `the key ${name ?? ''} in ${queue}`
    case 'each_key':
      return `each key in ${queue}`
    case 'tenant':
      return `the tenant ${name ?? ''} in ${queue}`
  }
}

/** As `100 in 60 s, 10 at once`. */
export function rateWords({ count, per_ms: perMs, burst }: NonNullable<Limit['rate']>): string {
  return `${count} in ${formatSpan(perMs)}, ${burst} at once`
}

/** A limit on each key, and that of a tenant, cannot be paused. */
export function canPause({ scope }: Pick<Limit, 'scope'>): boolean {
  return scope !== 'each_key' && scope !== 'tenant'
}

/** Whose turns it counts, and how many. */
export function turnWords({ fair_by: fairBy, weight }: Pick<Limit, 'fair_by' | 'weight'>): string[] {
  return [
    ...(fairBy === null ? [] : [`turns by ${fairBy}`]),
    ...(weight === null ? [] : [`${plural(weight, 'turn')} for one of the others`]),
  ]
}

/** The same limit as it is set. */
function ruleOf({ name, paused_at: pausedAt, ...limit }: Limit): SetLimit {
  return {
    queue: limit.queue,
    scope: limit.scope,
    ...(name !== null && { name }),
    max_running: limit.max_running,
    max_waiting: limit.max_waiting,
    rate: limit.rate,
    ordered: limit.ordered,
    fair_by: limit.fair_by,
    weight: limit.weight,
    ...(canPause(limit) && { paused: pausedAt !== null }),
  }
}

function targetOf({ queue, scope, name }: Limit | SetLimit): LimitTarget {
  return { queue, scope, ...(name !== null && name !== undefined && { name }) }
}

export function codeOfSet(rule: SetLimit): ActCode {
  return {
    method: 'PUT',
    path: '/limits',
    body: rule,
    typescript: `await client.setLimit(${JSON.stringify(rule)})`,
  }
}

/** Sets a limit in the place of another, or of none, which its undo brings back. */
export function setLimit(rule: SetLimit, before: Limit | undefined): Mutation {
  return {
    doing: `Setting the limit on ${aboutLimit(rule)}`,
    run: async () => {
      await client.setLimit(rule)
      return {
        text: `The limit on ${aboutLimit(rule)} holds.`,
        undo: undoTo(rule, before),
        code: codeOfSet(rule),
      }
    },
  }
}

function undoTo(rule: SetLimit, before: Limit | undefined): Mutation {
  return {
    doing: `Bringing back the limit on ${aboutLimit(rule)}`,
    expects: pausedFrom(rule, before?.paused_at ?? null),
    run: async () => {
      if (before === undefined) await client.deleteLimit(targetOf(rule))
      else await client.setLimit(ruleOf(before))
      return { text: `The limit on ${aboutLimit(rule)} is as it was.` }
    },
  }
}

/** That a limit pauses its jobs since then, or does not; of a limit of a key the key shows it as well. */
function pausedFrom({ queue, scope, name }: Limit | SetLimit, at: string | null): Expected[] {
  const ofLimit: Expected = {
    of: 'limit',
    id: limitId({ queue, scope, name: name ?? null }),
    change: (limit) => ({ ...limit, paused_at: at }),
  }
  if (scope !== 'key') return [ofLimit]
  const change = (key: KeyOfQueue): KeyOfQueue => ({
    ...key,
    paused_at: at,
    state: at === null ? stateUnpaused(key) : 'paused',
  })
  return [ofLimit, { of: 'key', id: keyId(queue, name ?? ''), change }]
}

/** What else holds a key, as far as its row says. */
function stateUnpaused({ max_running: most, running, rate_opens_at: opensAt }: QueueKey): QueueKey['state'] {
  if (most !== null && running >= most) return 'full'
  return opensAt === null ? 'open' : 'rate_spent'
}

/** Pauses or resumes it. One that does nothing but pause goes when it is resumed: a limit that limits nothing is none. */
export function pauseLimit(limit: Limit): Mutation {
  const { paused_at: pausedAt, ...rest } = limit
  const rules = [rest.max_running, rest.max_waiting, rest.rate, rest.ordered, rest.fair_by, rest.weight]
  const isOnlyPause = pausedAt !== null && rules.every((rule) => rule === null)
  const set = isOnlyPause
    ? deleteLimit(limit)
    : setLimit({ ...ruleOf(limit), paused: pausedAt === null }, limit)
  const about = aboutLimit(limit)
  return {
    doing: `${pausedAt === null ? 'Pausing' : 'Resuming'} the limit on ${about}`,
    expects: pausedFrom(limit, pausedAt === null ? serverNow() : null),
    run: async () => ({ ...(await set.run()), text: pausedText(`The limit on ${about}`, pausedAt === null) }),
  }
}

/**
 * Pauses a key, or lets it go on. It reads the limit that the key has by then: what else that says stays, and undo brings it back.
 */
export function pauseKey(queue: string, name: string, verb: 'pause' | 'resume'): Mutation {
  const rule = { queue, scope: 'key', name } as const
  return {
    doing: `${verb === 'pause' ? 'Pausing' : 'Resuming'} the key ${name} in ${queue}`,
    expects: pausedFrom(rule, verb === 'pause' ? serverNow() : null),
    run: async () => {
      const limit = await readKeyLimit({ queue, name })
      const isPaused = limit !== undefined && limit.paused_at !== null
      if (isPaused === (verb === 'pause')) return { text: `The key ${name} in ${queue} is ${verb}d already.` }
      const act = limit === undefined ? setLimit({ ...rule, paused: true }, undefined) : pauseLimit(limit)
      return { ...(await act.run()), text: pausedText(`The key ${name} in ${queue}`, !isPaused) }
    },
  }
}

function pausedText(what: string, isPaused: boolean): string {
  return isPaused ? `${what} is paused: none of its jobs starts.` : `${what} is paused no longer.`
}

function deleteLimit(limit: Limit): Mutation {
  return {
    doing: `Deleting the limit on ${aboutLimit(limit)}`,
    expects: [{ of: 'limit', id: limitId(limit), change: () => undefined }],
    run: async () => {
      await client.deleteLimit(targetOf(limit))
      return { text: `The limit on ${aboutLimit(limit)} is gone.`, undo: undoTo(ruleOf(limit), limit) }
    },
  }
}

export function deleteLimitAct(limit: Limit): Act {
  const target = targetOf(limit)
  const about = aboutLimit(limit)
  const query = new URLSearchParams(Object.entries(target)).toString()
  return {
    title: `Delete the limit on ${about}?`,
    effect: 'What it held back may start, as far as no other limit holds it.',
    sample: [
      ...(limit.max_running === null ? [] : [`at most ${plural(limit.max_running, 'job')} at a time`]),
      ...(limit.max_waiting === null ? [] : [`at most ${plural(limit.max_waiting, 'job')} that wait`]),
      ...(limit.rate === null ? [] : [rateWords(limit.rate)]),
      ...(limit.ordered === null ? [] : ['one after the other']),
      ...turnWords(limit),
      ...(limit.paused_at === null ? [] : ['paused']),
    ],
    confirm: 'Delete limit',
    dangerous: true,
    code: {
      method: 'DELETE',
      path: `/limits?${query}`,
      typescript: `await client.deleteLimit(${JSON.stringify(target)})`,
    },
    ...deleteLimit(limit),
  }
}
