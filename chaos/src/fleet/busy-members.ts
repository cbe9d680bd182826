import { eventually, type TestDatabase } from '@queue/testing'
import type { Random } from '../nemesis/random.ts'
import type { Fleet } from './fleet.ts'
import type { WorkerProcess } from './worker-process.ts'

/** If no process is busy within this time, an idle one is chosen. The result shows whether enough faults met work. */
const busyWithin = { deadlineMs: 10_000, intervalMs: 5 }

interface FleetAndDatabase {
  readonly fleet: Fleet
  readonly database: TestDatabase
}

/** A random process that has claimed jobs and is not in `except`. */
export async function busyMember(
  world: FleetAndDatabase,
  random: Random,
  except: ReadonlySet<WorkerProcess> = new Set(),
): Promise<WorkerProcess> {
  const candidates = (): WorkerProcess[] => world.fleet.members.filter((member) => !except.has(member))
  const busy = await eventually(async () => {
    const busyMembers = await busyOf(candidates(), world.database)
    return busyMembers.length > 0 && busyMembers
  }, busyWithin).catch(candidates)
  return random.pick(busy)
}

async function busyOf(
  members: readonly WorkerProcess[],
  { pool, schema }: TestDatabase,
): Promise<WorkerProcess[]> {
  const { rows } = await pool.query<{ locked_by: string }>(
    `SELECT DISTINCT locked_by FROM "${schema}".all_jobs WHERE locked_by IS NOT NULL AND status = 'running'`,
  )
  return members.filter(({ idPrefix }) =>
    rows.some(({ locked_by: workerId }) => workerId.startsWith(`${idPrefix}-`)),
  )
}
