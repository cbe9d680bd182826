// What the functions that enqueue take.
import {
  assertArguments,
  assertKnownOptions,
  assertOptions,
  flag,
  having,
  listOf,
  object,
  oneOf,
  optional,
  type Rule,
} from '@queue/loop/arguments'
import { z } from 'zod'
import { defineJob, isMade, jobOptionFields, type JobRequest } from '../domain/job-definition.ts'
import type { EnqueueMany, EnqueueTarget } from './enqueue.ts'

/** A kind, as `defineJob` returns it. */
export const kindRule = having('a kind, which defineJob returns', 'create')

export const queueRule = having('a queue, which createQueue returns', 'enqueueMany')

/** A request, as `create` of a kind returns it, or a copy of one. */
const requestRule = (value: unknown): string | undefined =>
  typeof (value as { readonly payloadText?: unknown } | null | undefined)?.payloadText === 'string'
    ? undefined
    : 'a request, which create() of a kind returns'

/** What `enqueue` takes. The payload is checked by its kind. */
export const enqueueParameters = { definition: kindRule, payload: () => undefined, options: optional(object) }

/** A transaction is checked where the jobs are written in it. */
const targetRules = {
  transaction: () => undefined,
  notify: optional(flag),
  onMismatch: optional(oneOf(['replay', 'reject'])),
  onRefused: optional(oneOf(['reject', 'answer'])),
  keyLockTimeoutMs: optional((value) =>
    typeof value === 'number' && value >= 0 ? undefined : 'a number from 0',
  ),
} as const satisfies { readonly [Name in keyof EnqueueTarget]-?: Rule }

/** Throws `invalid_options` for an option that neither a job nor an enqueue has. */
export function assertEnqueueOptions(given: object): void {
  assertKnownOptions('queue.enqueue', given, { ...jobOptionFields, ...targetRules })
}

/** Throws `invalid_options` for a wrong value of an option that is not about the job. */
export function assertEnqueueTarget(target: EnqueueTarget): void {
  const { transaction, notify, onMismatch, onRefused, keyLockTimeoutMs } = target
  const given = [transaction, notify, onMismatch, onRefused, keyLockTimeoutMs]
  assertArguments('queue.enqueue', targetRules, given)
}

const enqueueManyParameters = { requests: listOf(requestRule) }

/** Throws `invalid_options` for a copy of a request with a member that no request has. */
function assertCopies(requests: readonly JobRequest[]): void {
  const copies = requests.filter((request) => !isMade(request))
  if (copies.length === 0) return
  const known = { ...defineJob({ kind: 'any', payload: z.null() }).create(null) }
  for (const copy of copies) assertKnownOptions('queue.enqueueMany', copy, known)
}

/** `enqueueMany`, which refuses what is no request. A misspelt `transaction` would be ignored, and the jobs written outside of it. */
export function checkedEnqueueMany(enqueueMany: EnqueueMany): EnqueueMany {
  return async (requests, target) => {
    assertArguments('queue.enqueueMany', enqueueManyParameters, [requests])
    assertCopies(requests)
    if (target !== undefined) assertOptions('queue.enqueueMany', target, targetRules)
    return enqueueMany(requests, target)
  }
}
