// The options of a job on the command line: what enqueues, schedules and edits take, and the members of the API that they set.
import { duration, text, type Valued, whole } from '@queue/commands'
import { json } from '../../json.ts'
import { limits } from '@queue/core/plain'

/** The options of a job that is enqueued directly or by a schedule. */
export const jobOptions = {
  queue: text('QUEUE', 'queue of the job; default: the queue of the kind'),
  priority: whole(
    'N',
    { min: limits.priorityMin, max: limits.priorityMax },
    'priority; lower numbers start first; default: the priority of the kind',
  ),
  'max-attempts': whole(
    'N',
    { min: limits.maxAttemptsMin, max: limits.maxAttemptsMax },
    'maximum number of attempts',
  ),
  timeout: duration('DURATION', 'timeout of one attempt'),
  'retry-policy': json('JSON', 'wait between attempts'),
  metadata: json('JSON', 'metadata to find the job by, such as {"order_id":4711}; never masked'),
  'expires-in': duration('DURATION', 'expiry: cancel the job if it has not started by then, such as 10m'),
  key: text(
    'KEY',
    'key of the job, by which limits can apply; default: the value that the kind finds in the payload',
  ),
  weight: whole(
    'N',
    { min: 1, max: limits.jobWeightMax },
    'tokens that a start takes from each rate limit; default: the weight of the kind',
  ),
} as const

/** The same option, described for an edit. */
function inEdit<Value>(option: Valued<Value>, summary: string): Valued<Value> {
  return { ...option, summary }
}

/** The options of a job that an edit can change, besides its start and its payload. */
export const editedOptions = {
  priority: inEdit(jobOptions.priority, 'priority; lower numbers start first'),
  'max-attempts': inEdit(
    jobOptions['max-attempts'],
    'maximum number of attempts; more than it has already had',
  ),
  timeout: jobOptions.timeout,
  weight: inEdit(jobOptions.weight, 'tokens that its start takes from each rate limit'),
  metadata: inEdit(jobOptions.metadata, 'new metadata, which replaces all of it, such as {"order_id":4711}'),
} as const

/** Options whose API member has another name. */
const memberNames: Readonly<Record<string, string>> = {
  delay: 'delay_ms',
  every: 'every_ms',
  expires_in: 'expires_in_ms',
  jitter: 'jitter_ms',
  kind_version: 'version',
  missed_window: 'missed_window_ms',
  timeout: 'timeout_ms',
  tenant: 'tenant_id',
}

/** Renames options to the members of the API. */
export function toMembers(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [memberNames[name] ?? name, value]),
  )
}
