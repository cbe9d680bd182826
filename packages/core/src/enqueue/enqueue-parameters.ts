// What the functions that enqueue take.
import { assertArguments, assertKnownOptions, having, listOf, object, optional } from '@queue/loop/arguments'
import { jobOptionFields } from '../domain/job-definition.ts'
import type { EnqueueMany, EnqueueTarget } from './enqueue.ts'

/** A kind, as `defineJob` returns it. */
export const kindRule = having('a kind, which defineJob returns', 'create')

export const queueRule = having('a queue, which createQueue returns', 'enqueueMany')

/** A request, as `create` of a kind returns it. */
const requestRule = (value: unknown): string | undefined =>
  typeof (value as { readonly payloadText?: unknown } | null | undefined)?.payloadText === 'string'
    ? undefined
    : 'a request, which create() of a kind returns'

/** What `enqueue` takes. The payload is checked by its kind. */
export const enqueueParameters = { definition: kindRule, payload: () => undefined, options: optional(object) }

const targetOptions = {
  transaction: true,
  notify: true,
  onMismatch: true,
  onRefused: true,
  keyLockTimeoutMs: true,
} as const satisfies { readonly [Name in keyof EnqueueTarget]-?: true }

/** Throws `invalid_options` for an option that neither a job nor an enqueue has. */
export function assertEnqueueOptions(given: object): void {
  assertKnownOptions('queue.enqueue', given, { ...jobOptionFields, ...targetOptions })
}

const enqueueManyParameters = { requests: listOf(requestRule) }

/** `enqueueMany`, which refuses what is no request. A misspelt `transaction` would be ignored, and the jobs written outside of it. */
export function checkedEnqueueMany(enqueueMany: EnqueueMany): EnqueueMany {
  return async (requests, target) => {
    assertArguments('queue.enqueueMany', enqueueManyParameters, [requests])
    if (target !== undefined) assertKnownOptions('queue.enqueueMany', target, targetOptions)
    return enqueueMany(requests, target)
  }
}
