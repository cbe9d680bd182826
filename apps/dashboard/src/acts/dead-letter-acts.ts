import type { DeadLetter } from '@queue/client'
import { client } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { plural } from '../ui/format.ts'
import type { Act } from './act.ts'
import { each, requeuedOf, sampleOf } from './job-acts.ts'

export function requeueSelectedAct(deadLetters: readonly DeadLetter[]): Act {
  const count = plural(deadLetters.length, 'dead letter')
  return {
    title: `Requeue ${count}?`,
    effect: 'Their jobs are queued again with all attempts. The dead letters are removed.',
    sample: sampleOf(deadLetters.map(({ job_id: id, kind }) => ({ id, kind }))),
    confirm: `Requeue ${count}`,
    code: {
      method: 'POST',
      path: deadLetters.map(({ id }) => `/dead-letters/${id}/requeue`),
      typescript: `for (const id of ${JSON.stringify(deadLetters.map(({ id }) => id))}) await client.requeueDeadLetter(id)`,
    },
    doing: `Requeuing ${count}`,
    run: async () => requeuedOf(await each(deadLetters, (id) => client.requeueDeadLetter(id))),
  }
}

export function deleteAct(deadLetters: readonly DeadLetter[]): Act {
  const count = plural(deadLetters.length, 'dead letter')
  return {
    title: `Delete ${count}?`,
    effect: 'Their jobs stay failed until retention removes them. This cannot be undone.',
    sample: sampleOf(deadLetters.map(({ job_id: id, kind }) => ({ id, kind }))),
    confirm: `Delete ${count}`,
    dismiss: 'Keep dead letters',
    dangerous: true,
    code: {
      method: 'DELETE',
      path: deadLetters.map(({ id }) => `/dead-letters/${id}`),
      typescript: `for (const id of ${JSON.stringify(deadLetters.map(({ id }) => id))}) await client.deleteDeadLetter(id)`,
    },
    doing: `Deleting ${count}`,
    run: async () => {
      const { done, faults } = await each(deadLetters, (id) => client.deleteDeadLetter(id))
      const text = `Deleted ${plural(done.length, 'dead letter')}.`
      if (faults.length === 0) return { text }
      return { text: `${text} ${faults.length} skipped: ${failureOf(faults[0]).text}`, failed: true }
    },
  }
}
