import { isJobId } from '@queue/core/internal'
import { decodeStored, storedSelection } from '../database/message-row.ts'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { StoredMessage } from '../domain/message.ts'

/** The message in its current state; undefined if it was pruned, dead-lettered, or never committed. */
export async function getMessage(database: OutboxDatabase, id: string): Promise<StoredMessage | undefined> {
  if (!isJobId(id)) return undefined
  const [row] = await database.run(
    database.names.db.selectFrom('outbox_messages as m').select(storedSelection('m')).where('m.id', '=', id),
  )
  return row === undefined ? undefined : decodeStored(row)
}
