import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Actor } from '../domain/actor.ts'

/** The actor for the database role of this connection, for instance at a command line. */
export async function roleActor(database: QueueDatabase): Promise<Actor> {
  const [row] = await database.run(
    sql<{
      role: string
      address: string | null
    }>`SELECT CURRENT_USER::text AS role, host(inet_client_addr()) AS address`,
  )
  return { type: 'role', id: row?.role ?? 'unknown', address: row?.address ?? undefined }
}
