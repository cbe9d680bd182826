import { sql, type SqlBool } from 'kysely'

/**
 * The condition that the worker `w` lives: it has not stopped, nobody has marked it lost, and by the database's clock its lease
 * has not ended. A worker that was killed stays active until another one marks it lost, and there may be no other.
 */
export const liveWorkerText = `w.state = 'active' AND now() < w.lease_expires_at`

/** The same, for statements. */
export const isLiveWorker = sql.raw<SqlBool>(liveWorkerText)
