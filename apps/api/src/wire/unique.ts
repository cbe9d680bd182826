import type { Schedule } from '@queue/core'
import { uniqueFields } from '@queue/core/internal'
import { z } from 'zod'

/** The unique options of a schedule, as the API shows them. */
export const scheduleUniqueSchema = z
  .object({
    key: uniqueFields.key.meta({ description: 'The unique key.' }),
    scope: uniqueFields.scope.meta({ description: 'How long a job holds the key.' }),
    window_ms: uniqueFields.windowMs
      .nullable()
      .meta({ description: 'Window in milliseconds. Null unless the scope is `window`.' }),
    max_wait_ms: uniqueFields.maxWaitMs
      .nullable()
      .meta({ description: 'Latest start in milliseconds. Null unless on_conflict is `reschedule`.' }),
    on_conflict: uniqueFields.onConflict.meta({ description: 'What happens if another job holds the key.' }),
  })
  .nullable()
  .meta({
    id: 'ScheduleUnique',
    description: 'Unique key of the jobs of a schedule. Null if they are not unique.',
  })

export function encodeUnique(unique: Schedule['options']['unique']): z.output<typeof scheduleUniqueSchema> {
  if (unique === null) return null
  const { key, scope, windowMs, maxWaitMs, onConflict } = unique
  return { key, scope, window_ms: windowMs, max_wait_ms: maxWaitMs, on_conflict: onConflict }
}
