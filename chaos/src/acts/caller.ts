import { type Acts, type JobFilter, type Operations, type Queue, type Scope, scopeQueue } from '@queue/core'
import type { Random } from '../nemesis/random.ts'
import type { Row } from '../record/row-changes.ts'
import { kinds, queues, tenants } from './population.ts'

/** Who makes an act on many: a program, or an actor whose acts are audited, each with or without bounds. */
export interface Caller {
  /** Absent: it has no bounds. */
  readonly scope?: Scope
  readonly isAudited: boolean
  readonly operations: Operations
  /** Its acts. Their audit entries name the request. */
  actsFor(request: string): Pick<Acts, 'many' | 'deadLetters'>
  /** The filter without the members that a caller with bounds may not name. */
  admit(filter: JobFilter): JobFilter
  /** Whether a job or a dead letter is within its bounds. */
  owns(row: Row): boolean
}

export function drawCaller(queue: Queue, random: Random): Caller {
  const bounds: readonly Scope[] = [
    { tenantId: random.pick(tenants) },
    { queues: [random.pick(queues)], kinds: [random.pick(kinds)] },
  ]
  const scope = random.chance(0.5) ? undefined : random.pick(bounds)
  const isAudited = random.chance(0.5)
  const own = scope === undefined ? queue : scopeQueue(queue, scope)
  return {
    ...(scope !== undefined && { scope }),
    isAudited,
    operations: own.operations,
    actsFor: (requestId) => (isAudited ? own.actAs({ type: 'role', id: 'acts', requestId }) : own),
    admit: (filter) => {
      const { tenantId: _, workerVersion: __, ...admitted } = filter
      return scope === undefined ? filter : admitted
    },
    owns: (row) =>
      (scope?.tenantId ?? row['tenant_id']) === row['tenant_id'] &&
      (scope?.queues ?? [row['queue']]).includes(row['queue'] as string) &&
      (scope?.kinds ?? [row['kind']]).includes(row['kind'] as string),
  }
}
