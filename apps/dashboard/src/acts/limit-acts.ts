import {
  ApiError,
  type ChangeLimit,
  type Limit,
  type LimitTarget,
  type QueueKey,
  type SetLimit,
} from '@queue/client'
import { client, readLimit } from '../api/client.ts'
import { type Expected, keyId, type KeyOfQueue, limitId } from '../api/expected.ts'
import { serverNow } from '../shell/clock.ts'
import { formatSpan, plural } from '../ui/format.ts'
import type { Act, Mutation } from './act.ts'
import type { ActCode } from './code.ts'

/** What a limit applies to, as `each key in queue mail`. */
export function limitSubject({
  queue,
  scope,
  name,
}: Pick<Limit, 'queue' | 'scope'> & { name?: string | null }): string {
  switch (scope) {
    case 'queue':
      return `queue ${queue}`
    case 'kind':
      return `kind ${name ?? ''} in queue ${queue}`
    case 'key':
      return `key ${name ?? ''} in queue ${queue}`
    case 'each_key':
      return `each key in queue ${queue}`
    case 'tenant':
      return `tenant ${name ?? ''} in queue ${queue}`
  }
}

/** As `100 per 60 s, burst 10`. */
export function rateText({ count, per_ms: perMs, burst }: NonNullable<Limit['rate']>): string {
  return `${count} per ${formatSpan(perMs)}, burst ${burst}`
}

/** Limits on each key and on a tenant cannot be paused. */
export function canPause({ scope }: Pick<Limit, 'scope'>): boolean {
  return scope !== 'each_key' && scope !== 'tenant'
}

/** The fairness and the weight of a limit, as texts. */
export function fairnessTexts({ fair_by: fairBy, weight }: Pick<Limit, 'fair_by' | 'weight'>): string[] {
  return [
    ...(fairBy === null ? [] : [`${fairBy}s take turns`]),
    ...(weight === null ? [] : [`weight ${weight}`]),
  ]
}

/** The request that sets this limit. */
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

/** Sets a limit that is as it was `before`. Undo restores the previous limit, or deletes the new one. */
export function setLimit(rule: SetLimit, before: Limit | undefined): Mutation {
  return {
    doing: `Setting the limit on ${limitSubject(rule)}`,
    run: async () => {
      const after = await client.setLimit(rule, ifStill(before))
      return {
        text: `Limit on ${limitSubject(rule)} set.`,
        undo: undoTo(before, after),
        code: codeOfSet(rule),
      }
    },
  }
}

/** Writes only if the limit, or its absence, is what was read. The API compares and writes at once. */
function ifStill(limit: Limit | undefined): { readonly ifUpdatedAt: string | null } {
  return { ifUpdatedAt: limit?.updated_at ?? null }
}

/** Restores the limit as it was before an act, unless it is no longer as the act has left it. */
function undoTo(before: Limit, after: Limit | undefined): Mutation
function undoTo(before: Limit | undefined, after: Limit): Mutation
function undoTo(before: Limit | undefined, after: Limit | undefined): Mutation {
  const target = targetOf((before ?? after) as Limit)
  const subject = limitSubject(target)
  return {
    doing: `Restoring the limit on ${subject}`,
    expects: expectPause(target, before?.paused_at ?? null),
    run: async () => {
      try {
        await restore(target, before, after)
      } catch (error) {
        if (!hasChanged(error)) throw error
        return { text: `The limit on ${subject} has changed since. Nothing was undone.`, failed: true }
      }
      return { text: `Limit on ${subject} restored.` }
    },
  }
}

async function restore(target: LimitTarget, before: Limit | undefined, after: Limit | undefined) {
  if (before !== undefined) await client.setLimit(ruleOf(before), ifStill(after))
  else if (after !== undefined) await client.deleteLimit(target, { ifUpdatedAt: after.updated_at })
}

function hasChanged(error: unknown): boolean {
  return error instanceof ApiError && (error.error === 'limit_changed' || error.error === 'limit_not_found')
}

/** The optimistic updates of a pause since `at`, or of a resume. A limit of a key also changes the row of the key. */
function expectPause({ queue, scope, name }: Limit | LimitTarget, at: string | null): Expected[] {
  const ofLimit: Expected = {
    of: 'limit',
    id: limitId({ queue, scope, name: name ?? null }),
    change: (limit) => ({ ...limit, paused_at: at }),
  }
  if (scope !== 'key') return [ofLimit]
  const change = (key: KeyOfQueue): KeyOfQueue => ({
    ...key,
    paused_at: at,
    state: at === null ? stateWithoutPause(key) : 'paused',
  })
  return [ofLimit, { of: 'key', id: keyId(queue, name ?? ''), change }]
}

/** The state of a key without its pause, as far as its row shows. */
function stateWithoutPause({
  max_running: maxRunning,
  running,
  rate_opens_at: opensAt,
}: QueueKey): QueueKey['state'] {
  if (maxRunning !== null && running >= maxRunning) return 'full'
  return opensAt === null ? 'open' : 'rate_spent'
}

/** Pauses or resumes a limit, and leaves its other rules as they are by then. */
export function pauseLimit(limit: Limit): Mutation {
  const paused = limit.paused_at === null
  return changePause(targetOf(limit), paused, {
    doing: `${paused ? 'Pausing' : 'Resuming'} the limit on ${limitSubject(limit)}`,
    subject: `Limit on ${limitSubject(limit)}`,
  })
}

/** Pauses or resumes a key. */
export function pauseKey(queue: string, name: string, verb: 'pause' | 'resume'): Mutation {
  const target = { queue, scope: 'key', name } as const
  return changePause(target, verb === 'pause', {
    doing: `${verb === 'pause' ? 'Pausing' : 'Resuming'} key ${name} in queue ${queue}`,
    subject: `Key ${name} in queue ${queue}`,
  })
}

/** Sends the pause of a limit alone. A limit that only paused is gone once it is resumed. */
function changePause(
  target: LimitTarget,
  paused: boolean,
  { doing, subject }: { readonly doing: string; readonly subject: string },
): Mutation {
  const change = { ...target, paused }
  return {
    doing,
    expects: expectPause(target, paused ? serverNow() : null),
    run: async () => {
      const before = await readLimit(target)
      if (isPaused(before) === paused) {
        return { text: `${subject} is ${paused ? 'already paused' : 'not paused'}.` }
      }
      const after = await client.changeLimit(change, ifStill(before))
      return {
        text: pausedText(subject, paused),
        undo:
          limitsSomething(after) || before === undefined ? undoTo(before, after) : undoTo(before, undefined),
        code: codeOfChange(change),
      }
    },
  }
}

function isPaused(limit: Limit | undefined): boolean {
  return limit !== undefined && limit.paused_at !== null
}

/** Whether something of a limit is left. Otherwise a change has deleted it. */
function limitsSomething(limit: Limit): boolean {
  const { max_running, max_waiting, rate, ordered, fair_by, weight, paused_at } = limit
  return (max_running ?? max_waiting ?? rate ?? ordered ?? fair_by ?? weight ?? paused_at) !== null
}

function codeOfChange(change: ChangeLimit): ActCode {
  return {
    method: 'PATCH',
    path: '/limits',
    body: change,
    typescript: `await client.changeLimit(${JSON.stringify(change)})`,
  }
}

function pausedText(subject: string, paused: boolean): string {
  return paused ? `${subject} paused. Its jobs do not start.` : `${subject} resumed.`
}

function deleteLimit(limit: Limit): Mutation {
  return {
    doing: `Deleting the limit on ${limitSubject(limit)}`,
    expects: [{ of: 'limit', id: limitId(limit), change: () => undefined }],
    run: async () => {
      await client.deleteLimit(targetOf(limit), { ifUpdatedAt: limit.updated_at })
      return { text: `Limit on ${limitSubject(limit)} deleted.`, undo: undoTo(limit, undefined) }
    },
  }
}

export function deleteLimitAct(limit: Limit): Act {
  const target = targetOf(limit)
  const subject = limitSubject(limit)
  const query = new URLSearchParams(Object.entries(target)).toString()
  return {
    title: `Delete the limit on ${subject}?`,
    effect: 'Jobs that it held back can start, unless another limit applies.',
    sample: [
      ...(limit.max_running === null ? [] : [`at most ${plural(limit.max_running, 'running job')}`]),
      ...(limit.max_waiting === null ? [] : [`at most ${plural(limit.max_waiting, 'waiting job')}`]),
      ...(limit.rate === null ? [] : [rateText(limit.rate)]),
      ...(limit.ordered === null ? [] : ['in order']),
      ...fairnessTexts(limit),
      ...(limit.paused_at === null ? [] : ['paused']),
    ],
    confirm: 'Delete limit',
    dismiss: 'Keep limit',
    dangerous: true,
    code: {
      method: 'DELETE',
      path: `/limits?${query}`,
      typescript: `await client.deleteLimit(${JSON.stringify(target)})`,
    },
    ...deleteLimit(limit),
  }
}
