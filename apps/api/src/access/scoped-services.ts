// The services of scoped callers: the same operations, on a queue that contains only the jobs of their scope.
import { type GroupedEnqueueOptions, QueueError, type Scope, type ScopedQueue } from '@queue/core'
import { traceEnqueues } from '@queue/core/internal'
import { scopesKeptMax } from '../http/limits.ts'
import type { Admission } from './admission.ts'
import type { ApiQueue, Services, ServicesFor } from '../services.ts'
import { createJobWatcher } from '../watch/job-watcher.ts'

/** The queue of callers with this scope. */
export type QueueOf = (scope: Scope) => ScopedQueue

export interface ScopedServicesOptions {
  /** The services of callers without a scope. */
  readonly unscoped: Omit<Services, 'servicesFor'>
  readonly queueOf: QueueOf
  /** Admits requests to the pool of tenants. */
  readonly tenantAdmission: Admission
  /** How enqueues are written together. */
  readonly grouping: Omit<GroupedEnqueueOptions, 'bounds'>
}

/**
 * The services of each caller. Those of a scope are created at its first request and kept for the next ones. Callers of one scope
 * share grouped writes and polls, but never with another scope.
 */
export function scopedServices({
  unscoped,
  queueOf,
  tenantAdmission,
  grouping,
}: ScopedServicesOptions): ServicesFor {
  const servicesByScope = new Map<string, Services>()
  const servicesFor: ServicesFor = (scope) => {
    if (scope === undefined) return base
    const name = JSON.stringify([scope.tenantId, scope.queues, scope.kinds])
    const services =
      servicesByScope.get(name) ??
      servicesOf(queueOf(scope), { base, admission: admissionOf(scope), grouping, name })
    servicesByScope.delete(name)
    servicesByScope.set(name, services)
    if (servicesByScope.size > scopesKeptMax)
      servicesByScope.delete(servicesByScope.keys().next().value ?? name)
    return services
  }
  const admissionOf = ({ tenantId }: Scope): Admission =>
    tenantId === undefined ? base.admission : tenantAdmission
  const base: Services = { ...unscoped, servicesFor }
  return servicesFor
}

interface ScopeContext extends Pick<ScopedServicesOptions, 'grouping'> {
  readonly base: Services
  readonly admission: Admission
  /** The unique name of the scope. */
  readonly name: string
}

function servicesOf(queue: ScopedQueue, { base, admission, grouping, name }: ScopeContext): Services {
  const watcher = createJobWatcher((ids) => queue.states(ids))
  return {
    ...base,
    queue: {
      ...queue,
      enqueueMany: traceEnqueues(queue.enqueueMany, grouping.tracing),
      ...unscopedReads,
      actAs: (actor) => ({ ...queue.actAs(actor), ...unscopedActs }),
    },
    admission,
    grouped: queue.grouped(grouping),
    watcher,
    eventStreams: base.eventStreams.withWatcher(watcher),
    lineReads: base.lineReads.withLogs(queue.logs),
    shared: base.shared.of(name),
    diagnose: refuse,
  }
}

/** Never called: no scoped credential can have a permission for these. */
const refuse = (): never => {
  throw new QueueError('out_of_scope', 'scoped credentials may not do this')
}

const unscopedReads = {
  audit: { list: refuse },
  keys: { list: refuse },
  limits: { get: refuse, list: refuse },
  schedules: { get: refuse, list: refuse, preview: refuse },
  kinds: { list: refuse, countWorkers: refuse },
  workers: refuse,
  attention: refuse,
} as const satisfies Partial<ApiQueue>

const unscopedActs = {
  keys: { revoke: refuse },
  limits: { set: refuse, change: refuse, delete: refuse },
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
