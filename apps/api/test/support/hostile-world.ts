import { insertJob, type TestDatabase } from '@queue/testing'

/** Markup, a script link, and an unclosed text direction override. None of them may take effect. */
const markup = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`
const script = `javascript:document.title='taken'`
const turned = '\u202Eright to left, and never back \u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627'
const long = 'W'.repeat(400)

/** Each text of a job. */
export const hostileTexts = { markup, script, turned, long } as const

export interface HostileWorld {
  /** A failed and a waiting job with these texts. */
  readonly failedId: string
  readonly waitingId: string
  readonly queue: string
}

/** Jobs, a worker, a limit, an operation and an audit entry that try to attack the viewer. */
export async function insertHostile(database: TestDatabase): Promise<HostileWorld> {
  const queue = 'q'.repeat(63)
  const kind = 'k'.repeat(63)
  const all = Object.values(hostileTexts).join(' ')
  const stack = `${markup}: ${turned} ${long}\n    at ${long} (${script}:1:1)\n    at ${markup} (/node_modules/${long}.js:1:1)`
  const key = `${markup}${turned}`.slice(0, 200)
  const common = {
    kind,
    queue,
    key,
    tenantId: `${markup}${turned}${long}`.slice(0, 250),
    payload: { [markup]: script, [long]: all, [turned]: [all, { nested: markup }], __proto__x: 1 },
    metadata: { first: markup, link: script, turned, long, constructor: 'x' },
  }
  const failed = await insertJob(database, {
    ...common,
    status: 'failed_permanent',
    attempts: 3,
    lastError: stack,
  })
  const waiting = await insertJob(database, { ...common, status: 'queued' })
  await insertJob(database, {
    ...common,
    status: 'running',
    attempts: 1,
    progress: 3,
    progressMessage: all.slice(0, 500),
  })
  const { pool } = database
  await pool.query(`UPDATE queue.job_executions SET error = $2, error_class = 'E' WHERE job_id = $1`, [
    failed.id,
    stack,
  ])
  await pool.query(
    `INSERT INTO queue.job_logs (job_id, lease_token, at, line, attempt, level, message, fields)
     SELECT $1, 1, now(), n, 1, 'error', $2, $3 FROM generate_series(1, 3) AS n`,
    [failed.id, all, JSON.stringify({ [markup]: all, [long]: long })],
  )
  await pool.query(
    `INSERT INTO queue.operations (id, act, filter, up_to, state, expected, expected_is_least, reason, actor_type, actor, actor_name, finished_at)
     VALUES (gen_random_uuid(), 'cancel', $1, gen_random_uuid(), 'failed', 1, false, $2, 'key', 'hostile', $2, now())`,
    [JSON.stringify({ tenant: all, metadata: { [markup]: long } }), all],
  )
  await pool.query(
    `INSERT INTO queue.audit_log (act, actor_type, actor, actor_name, database_role, count, target, filter)
     VALUES ('job.cancel', 'key', $1, $2, 'api', 1, $2, $3)`,
    [long.slice(0, 255), all, JSON.stringify({ tenant: all })],
  )
  return { failedId: failed.id, waitingId: waiting.id, queue }
}
