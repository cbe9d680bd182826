// What a caller with bounds is served with: the same operations, on a queue that has its jobs alone.
import { type GroupedEnqueueOptions, QueueError, type Scope, type ScopedQueue } from '@queue/core'
import { traceEnqueues } from '@queue/core/fields'
import { scopesKeptMax } from '../http/limits.ts'
import type { ApiQueue, Services, ServicesFor } from '../services.ts'
import { createJobWatcher } from '../watch/job-watcher.ts'

/** The queue as callers of this scope have it. */
export type QueueOf = (scope: Scope) => ScopedQueue

export interface ScopedServicesOptions {
  /** What a caller without bounds is served with. */
  readonly everybodys: Omit<Services, 'servicesFor'>
  readonly queueOf: QueueOf
  /** How their enqueues are written together. */
  readonly grouping: Omit<GroupedEnqueueOptions, 'bounds'>
}

/**
 * The services of each caller. Those of a scope are made at its first request and kept for the next ones: callers of one
 * scope share groups and polls, and never with another.
 */
export function scopedServices({ everybodys, queueOf, grouping }: ScopedServicesOptions): ServicesFor {
  const known = new Map<string, Services>()
  const servicesFor: ServicesFor = (scope) => {
    if (scope === undefined) return whole
    const name = JSON.stringify([scope.tenantId, scope.queues, scope.kinds])
    const services = known.get(name) ?? servicesOf(queueOf(scope), { whole, grouping, name })
    known.delete(name)
    known.set(name, services)
    if (known.size > scopesKeptMax) known.delete(known.keys().next().value ?? name)
    return services
  }
  const whole: Services = { ...everybodys, servicesFor }
  return servicesFor
}

interface NamedServices {
  readonly whole: Services
  /** That of the scope, which no other has. */
  readonly name: string
}

function servicesOf(
  queue: ScopedQueue,
  { whole, grouping, name }: Pick<ScopedServicesOptions, 'grouping'> & NamedServices,
): Services {
  const watcher = createJobWatcher((ids) => queue.states(ids))
  return {
    ...whole,
    queue: {
      ...queue,
      enqueueMany: traceEnqueues(queue.enqueueMany, grouping.tracing),
      ...beyondEveryScope,
      actAs: (actor) => ({ ...queue.actAs(actor), ...actsBeyondEveryScope }),
    },
    grouped: queue.grouped(grouping),
    watcher,
    eventStreams: whole.eventStreams.fedBy(watcher),
    shared: whole.shared.of(name),
    diagnose: refuse,
  }
}

/** No key with bounds has a permission that leads to one of these. */
const refuse = (): never => {
  throw new QueueError('out_of_scope', 'a key with bounds may not do this')
}

const beyondEveryScope = {
  audit: { list: refuse },
  keys: { list: refuse },
  limits: { get: refuse, list: refuse },
  schedules: { get: refuse, list: refuse, preview: refuse },
  kinds: { list: refuse, countWorkers: refuse },
  workers: refuse,
  attention: refuse,
} as const satisfies Partial<ApiQueue>

const actsBeyondEveryScope = {
  keys: { revoke: refuse },
  limits: { set: refuse, delete: refuse },
  schedules: {
    create: refuse,
    update: refuse,
    delete: refuse,
    pause: refuse,
    resume: refuse,
    runNow: refuse,
    sync: refuse,
  },
  kinds: { register: refuse, retire: refuse },
  pause: refuse,
  resume: refuse,
} as const satisfies Partial<ReturnType<ApiQueue['actAs']>>
