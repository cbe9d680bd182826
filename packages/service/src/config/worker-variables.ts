import { z } from 'zod'
import { workerBindAddressDefault } from './bind-address.ts'
import { bindAddress, databaseVariables, poolVariables } from './shared-variables.ts'

/** The variables of a process with a worker, beside those of the database and of the log. */
export const workerVariables = {
  WORKER_NOTIFY: z.boolean().optional().meta({
    unset: 'on',
    description:
      'Whether a connection listens for notifications of new jobs. off: the worker only polls, as always with DATABASE_POOLER=transaction.',
  }),
  WORKER_METRICS_BIND_ADDR: bindAddress
    .prefault(workerBindAddressDefault)
    .meta({ description: 'The address of /livez, /readyz, /health and /metrics.' }),
}

const workerProcessConfig = z.object({ ...databaseVariables, ...poolVariables, ...workerVariables })

/** What a process with a worker reads from its environment, beside the variables of the log. */
export type WorkerProcessConfig = z.output<typeof workerProcessConfig>

/** A pooler in transaction mode has no connection that could listen. */
export function canListen(config: Pick<WorkerProcessConfig, 'DATABASE_POOLER' | 'WORKER_NOTIFY'>): boolean {
  return config.DATABASE_POOLER !== 'transaction' || config.WORKER_NOTIFY !== true
}

export const cannotListen = {
  path: ['WORKER_NOTIFY'],
  message:
    'cannot be on with DATABASE_POOLER=transaction: such a pooler can give every transaction another connection, but ' +
    'LISTEN needs one of its own; leave WORKER_NOTIFY unset, or use a DATABASE_URL that bypasses the pooler',
}
