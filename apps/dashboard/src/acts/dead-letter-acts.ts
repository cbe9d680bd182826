import type { DeadLetter } from '@queue/client'
import { client } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { plural } from '../ui/format.ts'
import type { Act } from './act.ts'
import { cancelAct, each, requeueWords, resultOf, sampleOf } from './job-acts.ts'

export function requeueSelectedAct(letters: readonly DeadLetter[]): Act {
  const some = plural(letters.length, 'dead letter')
  return {
    title: `Requeue ${some}?`,
    effect: 'Their jobs are queued anew with all of their attempts, and the dead letters go away.',
    sample: sampleOf(letters.map(({ job_id: id, kind }) => ({ id, kind }))),
    confirm: `Requeue ${some}`,
    code: {
      method: 'POST',
      path: letters.map(({ id }) => `/dead-letters/${id}/requeue`),
      typescript: `for (const id of ${JSON.stringify(letters.map(({ id }) => id))}) await client.requeueDeadLetter(id)`,
    },
    doing: `Requeuing ${some}`,
    run: async () => {
      const outcome = await each(letters, (id) => client.requeueDeadLetter(id))
      const { done } = outcome
      return { ...resultOf(requeueWords, outcome), ...(done.length > 0 && { undo: cancelAct(done) }) }
    },
  }
}

export function deleteAct(letters: readonly DeadLetter[]): Act {
  const some = plural(letters.length, 'dead letter')
  return {
    title: `Delete ${some}?`,
    effect: 'Their jobs stay failed, and go with their retention. This cannot be taken back.',
    sample: sampleOf(letters.map(({ job_id: id, kind }) => ({ id, kind }))),
    confirm: `Delete ${some}`,
    dangerous: true,
    code: {
      method: 'DELETE',
      path: letters.map(({ id }) => `/dead-letters/${id}`),
      typescript: `for (const id of ${JSON.stringify(letters.map(({ id }) => id))}) await client.deleteDeadLetter(id)`,
    },
    doing: `Deleting ${some}`,
    run: async () => {
      const { done, faults } = await each(letters, (id) => client.deleteDeadLetter(id))
      const text = `Deleted ${plural(done.length, 'dead letter')}.`
      if (faults.length === 0) return { text }
      return { text: `${text} ${faults.length} skipped: ${failureOf(faults[0]).text}`, failed: true }
    },
  }
}
