import type { WorkerInfo } from '@queue/core'
import { instantOutput } from '@queue/core/internal'
import { z } from 'zod'
import { encoderOf } from '../../wire/encode-members.ts'

/** A worker process as the API shows it. */
export const workerSchema = z
  .object({
    id: z.string().meta({ description: 'Id of the worker.' }),
    hostname: z.string().meta({ description: 'Host name of the machine.' }),
    pid: z.int().meta({ description: 'Process id.' }),
    version: z.string().meta({ description: 'Release that the worker runs.' }),
    zone_version: z.string().meta({
      description: 'Version of the time zone data that the worker computes the times of schedules with.',
    }),
    queues: z.array(z.string()).meta({ description: 'Queues that the worker serves.' }),
    kinds: z.array(z.string()).meta({ description: 'Kinds that the worker has handlers for.' }),
    concurrency: z
      .int()
      .min(0)
      .meta({ description: 'Maximum number of jobs that the worker runs at a time.' }),
    running: z.int().min(0).meta({ description: 'Number of jobs that the worker holds now.' }),
    state: z.enum(['active', 'stopped', 'lost']).meta({
      description:
        '`active`: the worker holds a lease. `stopped`: it has shut down. `lost`: its lease has expired.',
    }),
    started_at: instantOutput.meta({ description: 'Time when the worker started.' }),
    heartbeat_at: instantOutput.meta({ description: 'Time of the last heartbeat, which renews the lease.' }),
    lease_expires_at: instantOutput.meta({
      description: 'Time when other workers take over its jobs unless it renews the lease.',
    }),
  })
  .meta({ id: 'Worker', description: 'A worker process.' })

export type WireWorker = z.output<typeof workerSchema>

/** Encodes a worker for the wire. */
export const encodeWorker: (value: WorkerInfo) => WireWorker = encoderOf(workerSchema.shape)

/** The example of the documentation. */
export const workerExample: WireWorker = {
  id: 'worker-host-4711-9f3a',
  hostname: 'host',
  pid: 4_711,
  version: '0.1.0',
  zone_version: '2026a',
  queues: ['default'],
  kinds: ['send_email'],
  concurrency: 4,
  running: 1,
  state: 'active',
  started_at: '2026-01-15T09:00:00.000Z',
  heartbeat_at: '2026-01-15T09:30:00.000Z',
  lease_expires_at: '2026-01-15T09:30:30.000Z',
}
