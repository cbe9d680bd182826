import { notify } from '@queue/postgres'
import { sql } from 'kysely'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { nameLengthMax } from '../domain/limits.ts'
import { kindsChannel } from './kinds-channel.ts'

/**
 * Retires all versions of a kind: the API accepts no further jobs of it, and a process that registers it again does not
 * bring it back. Existing jobs still run. A retired kind keeps its instant. Throws `kind_not_found`.
 */
export async function retireKind(database: QueueDatabase, kind: string): Promise<Acted<void>> {
  const jobKinds = sql.id(database.schema, 'job_kinds')
  // An invalid name cannot exist, and may contain characters that PostgreSQL does not accept.
  const versions = jobFields.kind.safeParse(kind).success
    ? await database.run(sql<{ changed: boolean }>`
        WITH before AS MATERIALIZED (
          SELECT k.kind, k.version, k.retired_at FROM ${jobKinds} AS k WHERE k.kind = ${kind} ORDER BY k.version FOR UPDATE
        )
        UPDATE ${jobKinds} AS k SET retired_at = coalesce(before.retired_at, now())
          FROM before WHERE k.kind = before.kind AND k.version = before.version
        RETURNING before.retired_at IS NULL AS changed`)
    : []
  if (versions.length === 0) {
    const shownName = JSON.stringify(kind.slice(0, nameLengthMax))
    throw new QueueError('kind_not_found', `no kind named ${shownName} is registered`)
  }
  await notify(database, { channel: kindsChannel(database.schema), payloads: [''] })
  return { result: undefined, changed: versions.some(({ changed }) => changed) }
}
