import { QueueError } from '@queue/core'

/** The fault of a job that an executor was given although its kind is none of the executor's. */
export function unknownKind(kind: string): QueueError {
  return new QueueError('unknown_kind', `there is no handler here for jobs of the kind '${kind}'`)
}
