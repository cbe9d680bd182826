import type { WorkerInfo } from '@queue/core'
import { z } from 'zod'
import { instantOutput } from './values.ts'

/** A worker process as the API shows it. */
export const workerSchema = z
  .object({
    id: z.string(),
    hostname: z.string(),
    pid: z.int(),
    version: z.string().meta({ description: 'The release that it runs.' }),
    queues: z.array(z.string()).meta({ description: 'The queues that it serves.' }),
    kinds: z.array(z.string()).meta({ description: 'The kinds of job that it has handlers for.' }),
    concurrency: z.int().min(0).meta({ description: 'How many jobs it runs at once at most.' }),
    running: z.int().min(0).meta({ description: 'How many jobs it holds now.' }),
    state: z.enum(['active', 'stopped', 'lost']).meta({
      description: 'active: it holds a lease. stopped: it has left. lost: its lease ran out.',
    }),
    started_at: instantOutput,
    heartbeat_at: instantOutput.meta({ description: 'When it last renewed its lease.' }),
    lease_expires_at: instantOutput.meta({ description: 'When its jobs are taken over unless it renews.' }),
  })
  .meta({ id: 'Worker', description: 'A worker process.' })

export type WireWorker = z.output<typeof workerSchema>

/** A worker in the names and types of the wire. */
export function encodeWorker(worker: WorkerInfo): WireWorker {
  return {
    id: worker.id,
    hostname: worker.hostname,
    pid: worker.pid,
    version: worker.version,
    queues: [...worker.queues],
    kinds: [...worker.kinds],
    concurrency: worker.concurrency,
    running: worker.running,
    state: worker.state,
    started_at: worker.startedAt.toISOString(),
    heartbeat_at: worker.heartbeatAt.toISOString(),
    lease_expires_at: worker.leaseExpiresAt.toISOString(),
  }
}

/** A worker as the documentation shows one. */
export const workerExample: WireWorker = {
  id: 'worker-host-4711-9f3a',
  hostname: 'host',
  pid: 4_711,
  version: '0.1.0',
  queues: ['default'],
  kinds: ['send_email'],
  concurrency: 4,
  running: 1,
  state: 'active',
  started_at: '2026-01-15T09:00:00.000Z',
  heartbeat_at: '2026-01-15T09:30:00.000Z',
  lease_expires_at: '2026-01-15T09:30:30.000Z',
}
