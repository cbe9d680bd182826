import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Actor } from './actor.ts'

/** Whoever acts with the role of this connection, at a command line for example. */
export async function roleActor(database: QueueDatabase): Promise<Actor> {
  const [row] = await database.run(
    sql<{
      role: string
      address: string | null
    }>`SELECT CURRENT_USER::text AS role, host(inet_client_addr()) AS address`,
  )
  return { type: 'role', id: row?.role ?? 'unknown', address: row?.address ?? undefined }
}
