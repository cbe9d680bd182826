import { eventually, type TestDatabase } from '@queue/testing'
import type { Random } from '../nemesis/random.ts'
import type { Fleet } from './fleet.ts'
import type { WorkerProcess } from './worker-process.ts'

/** An idle fleet is harmed all the same: the verdict says whether enough of it met work. */
const busyWithin = { deadlineMs: 10_000, intervalMs: 5 }

interface FleetAndDatabase {
  readonly fleet: Fleet
  readonly database: TestDatabase
}

/** One of the processes that have claimed jobs, drawn at random, but none of `except`. */
export async function busyMember(
  world: FleetAndDatabase,
  random: Random,
  except: ReadonlySet<WorkerProcess> = new Set(),
): Promise<WorkerProcess> {
  const others = (): WorkerProcess[] => world.fleet.members.filter((member) => !except.has(member))
  const busy = await eventually(async () => {
    const found = await busyOf(others(), world.database)
    return found.length > 0 && found
  }, busyWithin).catch(others)
  return random.pick(busy)
}

async function busyOf(
  members: readonly WorkerProcess[],
  { pool, schema }: TestDatabase,
): Promise<WorkerProcess[]> {
  const { rows } = await pool.query<{ locked_by: string }>(
    `SELECT DISTINCT locked_by FROM "${schema}".jobs WHERE locked_by IS NOT NULL AND status = 'running'`,
  )
  return members.filter(({ idPrefix }) =>
    rows.some(({ locked_by: workerId }) => workerId.startsWith(`${idPrefix}-`)),
  )
}
