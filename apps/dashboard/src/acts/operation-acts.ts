import type { Operation } from '@queue/client'
import { client } from '../api/client.ts'
import { formatCount } from '../ui/format.ts'
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

/** Jobs that it is done with, whether it has changed them or not. */
export function doneWith({ changed, skipped }: Operation): number {
  return changed + skipped
}

export function cancelOperationAct(operation: Operation): Act {
  const { id, act } = operation
  return {
    title: 'Cancel the rest of this operation?',
    effect: 'It changes no further job. What it has changed stays so.',
    sample: [
      operationActWords[act],
      `${formatCount(doneWith(operation))} of ${formatCount(operation.expected)} done`,
    ],
    confirm: 'Cancel the rest',
    dangerous: true,
    code: {
      method: 'POST',
      path: `/operations/${id}/cancel`,
      typescript: `await client.cancelOperation('${id}')`,
    },
    doing: 'Cancelling the rest of the operation',
    run: async () => {
      const { changed } = await client.cancelOperation(id)
      return { text: `Cancelled after ${formatCount(changed)}.` }
    },
  }
}
