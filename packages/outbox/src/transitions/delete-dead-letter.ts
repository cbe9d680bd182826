// (dead letter) → (gone). Called by an operator.
import { QueueError } from '@queue/core'
import { isJobId } from '@queue/core/internal'
import type { OutboxDatabase } from '../database/outbox-database.ts'

/** Removes one dead letter, and so its message for good. Throws `dead_letter_not_found`. */
export async function deleteDeadLetter(database: OutboxDatabase, id: string): Promise<void> {
  const rows = isJobId(id)
    ? await database.run(
        database.names.db.deleteFrom('outbox_dead_letters as d').where('d.id', '=', id).returning('d.id'),
      )
    : []
  if (rows.length > 0) return
  throw new QueueError('dead_letter_not_found', `there is no dead letter ${JSON.stringify(id.slice(0, 64))}`)
}
