import type { JobFilter } from '@queue/core'
import { jobFilterFields } from '@queue/core/fields'
import { z } from 'zod'
import { assertPermitted } from '../http/principal.ts'
import type { RequestContext } from '../http/request-context.ts'
import { jobStatus, metadataMeta } from './job.ts'
import { fingerprintsFilter, fingerprintsQuery, instantFilter, metadataFilter } from './list-query.ts'
import { instantOutput } from './values.ts'

const ofCause =
  'Jobs of which an attempt failed with this cause, or with one of these, as `GET /errors` names it.'

/** Which jobs, in a query; all conditions hold at once, and none means all. */
export const jobFilter = {
  status: jobStatus.optional(),
  kind: jobFilterFields.kind.meta({ description: 'The kind.' }),
  queue: jobFilterFields.queue.meta({ description: 'The queue.' }),
  tenant: jobFilterFields.tenantId.meta({ description: 'The tenant.' }),
  key: jobFilterFields.key.meta({
    description: 'Jobs with this key. It is a part of the payload: this needs the permission payload:read.',
  }),
  metadata: metadataFilter.optional().meta({
    ...metadataMeta,
    param: { style: 'deepObject', explode: true },
    description:
      'Jobs that have these members in their metadata: `metadata.order_id=4711`, or `metadata[order_id]=4711`. Texts are ' +
      'compared: a number is found by its digits.',
  }),
  created_after: instantFilter('Jobs created at this instant or later.'),
  created_before: instantFilter('Jobs created before this instant.'),
  finished_after: instantFilter('Jobs that ended at this instant or later.'),
  finished_before: instantFilter('Jobs that ended before this instant.'),
  fingerprint: fingerprintsQuery(ofCause),
  schedule: jobFilterFields.schedule.meta({ description: 'Runs of the schedule with this name.' }),
  worker: jobFilterFields.worker.meta({ description: 'Jobs that run in the worker with this id now.' }),
  worker_version: jobFilterFields.workerVersion.meta({
    description: 'Jobs that run in workers of this version now. Not with a key that has bounds.',
  }),
} as const

/** The same as the document of a body. */
export const jobFilterSchema = z
  .strictObject({
    ...jobFilter,
    metadata: metadataFilter.optional().meta({
      ...metadataMeta,
      description:
        'Jobs that have these members in their metadata. Texts are compared: a number is found by its digits.',
    }),
    fingerprint: fingerprintsFilter(ofCause),
  })
  .meta({ id: 'JobFilter', description: 'Which jobs: all conditions hold at once, and none means all.' })

type WireFilter = { readonly [Name in keyof typeof jobFilter]?: z.output<(typeof jobFilter)[Name]> }

/**
 * The filter in the names of `@queue/core`. Throws 403 for a key that its caller is not shown: whether jobs are found would tell
 * what it is.
 */
export function decodeJobFilter(
  filter: WireFilter,
  { principal }: Pick<RequestContext, 'principal'>,
): JobFilter {
  if (filter.key !== undefined) assertPermitted('payload:read', principal)
  return {
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
  }
}

/** How far a request has looked that did not look at everything. */
export const scannedSchema = z
  .object({
    rows: z.int().min(0).meta({ description: 'How many rows it has read.' }),
    back_to: instantOutput.meta({ description: 'When the oldest of them was created.' }),
  })
  .nullable()
  .meta({
    description:
      'How far it has looked, where it has read as many rows as it may; null where it has looked at all.',
  })

export function encodeScanned(scanned: { readonly rows: number; readonly backTo: Date } | null) {
  return scanned === null ? null : { rows: scanned.rows, back_to: scanned.backTo.toISOString() }
}
