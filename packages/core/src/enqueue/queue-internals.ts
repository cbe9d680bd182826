import type { ConnectedDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import type { FullQueues } from '../flow/full-queues.ts'
import type { JobCounter } from '../insight/job-counter.ts'

/** What a queue has besides its members for applications. */
export interface QueueInternals {
  readonly database: ConnectedDatabase
  /** Counts cancelled jobs for `stats`, also those of `scopeQueue` and `createTenantQueues`. */
  readonly counter: JobCounter
  /** Knows the queues that accept no more jobs, also for `scopeQueue` and `createTenantQueues`. */
  readonly full: FullQueues
}

/** It is registered, because a process can have two copies of this module, and enumerable, so that `{ ...queue }` keeps it. */
const key = Symbol.for('@queue/core/internals')

/** The same object with these internals. */
export function withInternals<Target extends object>(target: Target, internals: QueueInternals): Target {
  return { ...target, [key]: internals }
}

/** The internals of a queue, or of the queues of tenants. Throws `invalid_options` where it is neither. */
export function internalsOf(queue: object): QueueInternals {
  const internals = findInternals(queue)
  if (internals !== undefined) return internals
  throw new QueueError('invalid_options', 'the queue must be one that createQueue returned, or a copy of it')
}

/** The internals; undefined where an object only has members of a queue. */
export function findInternals(queue: object): QueueInternals | undefined {
  return (queue as { readonly [key]?: QueueInternals })[key]
}

/** The database of a queue, or of the queues of tenants. */
export function databaseOf(queue: object): ConnectedDatabase {
  return internalsOf(queue).database
}
