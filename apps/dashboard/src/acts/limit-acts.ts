import type { Limit, LimitTarget, SetLimit } from '@queue/client'
import { client, readKeyLimit } from '../api/client.ts'
import { formatSpan, plural } from '../ui/format.ts'
import type { Act, Done } from './act.ts'
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
export function setLimit(rule: SetLimit, before: Limit | undefined): Act['run'] {
  return async () => {
    await client.setLimit(rule)
    return {
      text: `The limit on ${aboutLimit(rule)} holds.`,
      undo: undoTo(rule, before),
      code: codeOfSet(rule),
    }
  }
}

function undoTo(rule: SetLimit, before: Limit | undefined): () => Promise<Done> {
  return async () => {
    if (before === undefined) await client.deleteLimit(targetOf(rule))
    else await client.setLimit(ruleOf(before))
    return { text: `The limit on ${aboutLimit(rule)} is as it was.` }
  }
}

/** Pauses or resumes it. One that does nothing but pause goes when it is resumed: a limit that limits nothing is none. */
export function pauseLimit(limit: Limit): Act['run'] {
  const { paused_at: pausedAt, ...rest } = limit
  const rules = [rest.max_running, rest.max_waiting, rest.rate, rest.ordered, rest.fair_by, rest.weight]
  if (pausedAt !== null && rules.every((rule) => rule === null)) return deleteLimit(limit)
  return setLimit({ ...ruleOf(limit), paused: pausedAt === null }, limit)
}

/**
 * Pauses a key, or lets it go on. It reads the limit that the key has by then: what else that says stays, and undo brings it back.
 */
export function pauseKey(queue: string, name: string, verb: 'pause' | 'resume'): Act['run'] {
  return async () => {
    const limit = await readKeyLimit({ queue, name })
    if (verb === 'pause' && limit === undefined) {
      return setLimit({ queue, scope: 'key', name, paused: true }, undefined)()
    }
    if (limit === undefined || (limit.paused_at !== null) === (verb === 'pause')) {
      return { text: `The key ${name} in ${queue} is ${verb}d already.` }
    }
    return pauseLimit(limit)()
  }
}

function deleteLimit(limit: Limit): Act['run'] {
  return async () => {
    await client.deleteLimit(targetOf(limit))
    return { text: `The limit on ${aboutLimit(limit)} is gone.`, undo: undoTo(ruleOf(limit), limit) }
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
    run: deleteLimit(limit),
  }
}
