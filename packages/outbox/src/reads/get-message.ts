import { isJobId } from '@queue/core/runtime'
import { sql } from 'kysely'
import { decodeStored, type StoredRow, storedColumns } from '../database/message-row.ts'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { StoredMessage } from '../domain/message.ts'

/** The message as it stands, or undefined when it is not there: pruned, dead-lettered, or never committed. */
export async function getMessage(database: OutboxDatabase, id: string): Promise<StoredMessage | undefined> {
  if (!isJobId(id)) return undefined
  const [row] = await database.run(
    sql<StoredRow>`SELECT ${storedColumns('m')} FROM ${database.names.messages} AS m WHERE m.id = ${id}::uuid`,
  )
  return row === undefined ? undefined : decodeStored(row)
}
