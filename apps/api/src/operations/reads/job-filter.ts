import type { JobFilter } from '@queue/core'
import { instantOutput, jobFilterFields, metadataMeta } from '@queue/core/internal'
import { z } from 'zod'
import {
  definedMembers,
  fingerprintsFilter,
  fingerprintsQuery,
  instantFilter,
  metadataFilter,
} from '../../wire/list-query.ts'
import { jobStatus } from '../../wire/job-status.ts'

const fingerprintDescription =
  'Jobs with an attempt that failed with this fingerprint. `GET /errors` lists the fingerprints.'

/** The filters of a query. A job must match all of them. */
export const jobFilter = {
  status: jobStatus.optional(),
  kind: jobFilterFields.kind.meta({ description: 'Jobs of this kind.' }),
  queue: jobFilterFields.queue.meta({ description: 'Jobs of this queue.' }),
  tenant: jobFilterFields.tenantId.meta({ description: 'Jobs of this tenant.' }),
  key: jobFilterFields.key.meta({ description: 'Jobs with this key.' }),
  metadata: metadataFilter.optional().meta({
    ...metadataMeta,
    param: { style: 'deepObject', explode: true },
    description:
      'Jobs whose metadata has these members: `metadata.order_id=4711` or `metadata[order_id]=4711`. Values are ' +
      'compared as text, so a number matches its digits.',
  }),
  created_after: instantFilter('Jobs created at or after this time.'),
  created_before: instantFilter('Jobs created before this time.'),
  finished_after: instantFilter('Jobs that ended at or after this time.'),
  finished_before: instantFilter('Jobs that ended before this time.'),
  fingerprint: fingerprintsQuery(fingerprintDescription),
  schedule: jobFilterFields.schedule.meta({ description: 'Jobs that this schedule enqueued.' }),
  worker: jobFilterFields.worker.meta({ description: 'Jobs that are running in this worker.' }),
  worker_version: jobFilterFields.workerVersion.meta({
    description: 'Jobs that are running in workers of this version. Not available to scoped callers.',
  }),
} as const

/** The same filters as a member of a body. */
export const jobFilterSchema = z
  .strictObject({
    ...jobFilter,
    metadata: metadataFilter.optional().meta({
      ...metadataMeta,
      minProperties: 1,
      description:
        'Jobs whose metadata has these members. Values are compared as text, so a number matches its digits.',
    }),
    fingerprint: fingerprintsFilter(fingerprintDescription),
  })
  .meta({
    id: 'JobFilter',
    description:
      'The jobs that match all members. An empty filter matches every job, and an action on it needs `all`.',
  })

type WireFilter = { readonly [Name in keyof typeof jobFilter]?: z.output<(typeof jobFilter)[Name]> }

/** Decodes the filters to the names of `@queue/core`. */
export function decodeJobFilter(filter: WireFilter): JobFilter {
  return definedMembers({
    status: filter.status,
    kind: filter.kind,
    queue: filter.queue,
    tenantId: filter.tenant,
    key: filter.key,
    metadata: filter.metadata,
    createdAfter: filter.created_after,
    createdBefore: filter.created_before,
    finishedAfter: filter.finished_after,
    finishedBefore: filter.finished_before,
    fingerprint: filter.fingerprint,
    schedule: filter.schedule,
    worker: filter.worker,
    workerVersion: filter.worker_version,
  })
}

/** How far a request has read before it reached its bound of rows. */
export const scannedSchema = z
  .object({
    rows: z.int().min(0).meta({ description: 'Number of rows that the request has read.' }),
    back_to: instantOutput.meta({ description: 'Time when the oldest of these rows was created.' }),
  })
  .nullable()
  .meta({
    description:
      'How far the request has read, if it reached its maximum number of rows. Null if it has read everything.',
  })

export function encodeScanned(scanned: { readonly rows: number; readonly backTo: Date } | null) {
  return scanned === null ? null : { rows: scanned.rows, back_to: scanned.backTo.toISOString() }
}
