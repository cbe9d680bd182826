import type { TestDatabase } from '@queue/testing'
import type { AnsweredMany, Records } from './records.ts'

/** The operations of a round as answered acts: all have ended, and each batch is a transaction of its own. */
export async function finishedOperations(
  { queue }: TestDatabase,
  { operations, batches, faults }: Records,
): Promise<AnsweredMany[]> {
  const batchesByOperation = Map.groupBy(batches, ({ operation }) => operation)
  const answers: AnsweredMany[] = []
  for (const { id, act, selects, ...started } of operations) {
    const operation = await queue.operations.get(id)
    const own = batchesByOperation.get(id) ?? []
    const last = own.at(-1)
    if (operation?.state !== 'succeeded' || last === undefined) {
      faults.push(`the operation ${id} of ${act} is ${operation?.state ?? 'gone'}`)
      continue
    }
    const createdMs = operation.createdAt.getTime()
    answers.push({
      ...started,
      act,
      // It leaves alone what is newer than itself.
      selects: (version) =>
        selects(version) &&
        Date.parse(version.row[act === 'requeue_dead_letters' ? 'dead_lettered_at' : 'created_at']) <=
          createdMs,
      names: own.map(({ name }) => name),
      changed: operation.changed,
      skipped: operation.skipped,
      ids: own.flatMap(({ ids }) => ids),
      after: last.after,
    })
  }
  return answers
}
