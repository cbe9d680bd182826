import type { DeadLetterSelection } from '@queue/core'
import { jobFields } from '@queue/core/runtime'
import type { z } from 'zod'
import { instantFilter } from './list-query.ts'

/** Which dead letters, in a query as in a body; all conditions hold at once, and none means all. */
export const deadLetterFilter = {
  kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
  queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
  tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
  buried_after: instantFilter('Letters buried at this instant or later.'),
  buried_before: instantFilter('Letters buried before this instant.'),
} as const

type Filter = { readonly [Name in keyof typeof deadLetterFilter]?: z.output<(typeof deadLetterFilter)[Name]> }

/** The filter in the names of `@queue/core`. */
export function decodeDeadLetterFilter(filter: Filter): DeadLetterSelection {
  return {
    kind: filter.kind,
    queue: filter.queue,
    tenantId: filter.tenant,
    buriedAfter: filter.buried_after,
    buriedBefore: filter.buried_before,
  }
}
