import type { TestDatabase } from '@queue/testing'
import type { Fleet } from './fleet.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The processes that have claimed jobs now; undefined when there are none. */
export async function busyMembers(
  fleet: Fleet,
  { pool, schema }: TestDatabase,
): Promise<readonly WorkerProcess[] | undefined> {
  const { rows } = await pool.query<{ locked_by: string }>(
    `SELECT DISTINCT locked_by FROM "${schema}".jobs WHERE locked_by IS NOT NULL AND status = 'running'`,
  )
  const busy = fleet.members.filter(({ idPrefix }) =>
    rows.some(({ locked_by: workerId }) => workerId.startsWith(`${idPrefix}-`)),
  )
  return busy.length > 0 ? busy : undefined
}
