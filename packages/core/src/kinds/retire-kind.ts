import { notify } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { nameLengthMax } from '../domain/limits.ts'
import { kindsChannel } from './kinds-channel.ts'

/**
 * Retires all versions of a kind: the API accepts no further jobs of it, and a process that registers it again does not
 * bring it back. Existing jobs still run. A retired kind keeps its instant. Throws `kind_not_found`.
 */
export async function retireKind(database: QueueDatabase, kind: string): Promise<void> {
  // An invalid name cannot exist, and may contain characters that PostgreSQL does not accept.
  const rows = jobFields.kind.safeParse(kind).success
    ? await database.run(
        database.names.db
          .updateTable('job_kinds')
          .set({ retired_at: sql<Date>`coalesce(retired_at, now())` })
          .where('kind', '=', kind)
          .returning('version'),
      )
    : []
  if (rows.length === 0) {
    const shownName = JSON.stringify(kind.slice(0, nameLengthMax))
    throw new QueueError('kind_not_found', `no kind named ${shownName} is registered`)
  }
  await notify(database, { channel: kindsChannel(database.schema), payloads: [''] })
}
