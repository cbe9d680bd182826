// Makes the days of ended jobs ahead, and drops the empty ones of the past. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Asks first whether there is anything to do, because the function lets only one caller at a time work. */
export async function turnEndedDays({ schema, names, run }: QueueDatabase): Promise<void> {
  await run(sql`
    SELECT ${sql.id(schema, 'turn_ended_days')}()
      FROM (SELECT max(d.day) AS last_day, min(d.day) AS first_day FROM ${names.endedDays} AS d) AS days
     WHERE (last_day >= now() + interval '144 hours') IS NOT TRUE OR first_day < now() - interval '48 hours'`)
}
