import type { Operation } from '@queue/client'
import { client } from '../api/client.ts'
import { formatCount, plural } from '../ui/format.ts'
import type { Act } from './act.ts'

export const operationActWords: Readonly<Record<Operation['act'], string>> = {
  cancel: 'Cancel',
  requeue: 'Requeue',
  reschedule: 'Reschedule',
  delete: 'Delete',
  purge: 'Purge',
  erase: 'Erase',
  requeue_dead_letters: 'Requeue dead letters',
}

/** The number of processed jobs, changed or skipped. */
export function processedCount({ changed, skipped }: Operation): number {
  return changed + skipped
}

export function cancelOperationAct(operation: Operation): Act {
  const { id, act } = operation
  return {
    title: 'Cancel the rest of this operation?',
    effect: 'No further jobs are changed. Jobs that are already changed stay changed.',
    sample: [
      operationActWords[act],
      `${formatCount(processedCount(operation))} of ${formatCount(operation.expected)} done`,
    ],
    confirm: 'Cancel the rest',
    dismiss: 'Keep running',
    dangerous: true,
    code: {
      method: 'POST',
      path: `/operations/${id}/cancel`,
      typescript: `await client.cancelOperation('${id}')`,
    },
    doing: 'Cancelling the rest of the operation',
    run: async () => {
      const { changed } = await client.cancelOperation(id)
      return { text: `Operation cancelled after ${plural(changed, 'job')}.` }
    },
  }
}
