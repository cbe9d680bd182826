import { findPgBouncer, startPooler } from '../pooler/pooler.ts'
import { killsWithin } from './kill.ts'
import type { Row } from './row.ts'

/**
 * The kills once more, with workers that reach the database through PgBouncer in transaction mode and poll instead of
 * listening: nothing they do may need a session of its own.
 */
export const pooler: Row = {
  number: 17,
  name: 'pooler',
  law: 'workers behind a pooler in transaction mode, without notifications, keep every promise',
  counted: 'kills',
  full: { jobs: 20_000, count: 30, minutesMax: 30 },
  reduced: { jobs: 500, count: 3, minutesMax: 3 },
  run: async (context) => {
    const program = await findPgBouncer()
    if (program === undefined) {
      return {
        outcome: 'skipped',
        counts: {},
        reason: 'PgBouncer is not installed (Debian package pgbouncer)',
      }
    }
    const pgBouncer = await startPooler(program, context.serverUrl)
    try {
      const { urlOf } = pgBouncer
      return await killsWithin(context, { name: 'pooler', fleet: { notifications: false }, reach: urlOf })
    } finally {
      await pgBouncer.close()
    }
  },
}
