import { fullQueueMutations } from './full-queue-mutations.ts'
import { laneMutations } from './lane-mutations.ts'
import { enqueueJobsName } from './function-texts.ts'
import type { Edit, Mutation } from './mutation.ts'
import { weightMutations } from './weight-mutations.ts'

const completing = 'AS next_run_at FROM held AS h'
const archiving = 'archived AS ( INSERT INTO "queue"."ended_jobs"'
const byLease = `AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"`
const recovery = 'candidates AS MATERIALIZED'
const byCandidate = `WHERE j.id = c.id AND j.lease_token = c.lease_token AND j.status = 'running'::"queue"."job_status" FOR UPDATE SKIP LOCKED`
const cancelWins = `CASE WHEN h.cancel_requested THEN 'cancelled'::"queue"."job_status"`
const claim = 'AS is_too_late'
const ofTenant = 'j.id = $1::uuid AND "j"."tenant_id" = $2'
const ofAnyTenant = 'j.id = $1::uuid AND $2::text IS NOT NULL'

const dueOperation = "o.state = 'running' AND o.next_batch_at <= now()"

/** Edits of the statements that end attempts and leave the job in `jobs`. */
function inCompletion(...edits: readonly Omit<Edit, 'within'>[]): Edit[] {
  return edits.map((edit) => ({ ...edit, within: completing }))
}

/** The same edits of the statement that moves a job out of `jobs`, too. */
function inEveryEnd(edit: Omit<Edit, 'within'>): Edit[] {
  return [...inCompletion(edit), { ...edit, within: archiving }]
}

function recovering(...edits: readonly Omit<Edit, 'within'>[]): Edit[] {
  return edits.map((edit) => ({ ...edit, within: recovery }))
}

function claiming(find: string, replace: string): Edit[] {
  return [{ within: claim, find, replace }]
}

/** Edits of the statement that writes the progress of an operation. */
function noting(find: string, replace: string): Edit[] {
  return [{ within: 'changed = o.changed + $1::int', find, replace }]
}

/** Defects of the statements that change jobs, check permissions, or write the audit log. */
export const mutations: readonly Mutation[] = [
  ...laneMutations,
  ...weightMutations,
  ...fullQueueMutations,
  {
    name: 'an enqueue does not ask whether it is inside the transaction that it is given',
    edits: [{ find: 'false) AS is_inside', replace: 'true) AS is_inside' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a running job does not hold its unique key',
    edits: [
      {
        within: enqueueJobsName,
        find: "WHEN 'live' THEN j.finished_at IS NULL",
        replace: "WHEN 'live' THEN j.locked_by IS NULL AND j.finished_at IS NULL",
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an attempt ends without the fence',
    edits: inEveryEnd({ find: 'j.lease_token = i.lease_token AND ', replace: '' }),
    detectedBy: 'foreign finish',
  },
  {
    name: 'an attempt ends whatever the state of its job',
    edits: inEveryEnd({
      find: byLease,
      replace: 'AND j.lease_token = i.lease_token',
    }),
    // The success of a job has no history row whose key a second one would violate (decision 341).
    detectedBy: 'illegal transition',
  },
  {
    name: 'an attempt ends by the id of its job alone',
    edits: inEveryEnd({ find: byLease, replace: '' }),
    // The row names the worker that has the lease, whoever ends it.
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'an attempt ends without locking its row',
    edits: inCompletion({ find: 'FOR UPDATE ) AS j', replace: ') AS j' }),
    detectedBy: 'illegal transition',
  },
  {
    name: 'an attempt ends without a history',
    edits: [
      ...inCompletion({ find: ', started_at = j.locked_at, worker_id = j.locked_by', replace: '' }),
      { within: archiving, find: 'e.locked_at', replace: 'NULL' },
      { within: archiving, find: 'e.locked_by', replace: 'NULL' },
    ],
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'the history keeps the newest attempt alone',
    edits: [
      { find: 'WHERE h.lease_token > 100 OFFSET 0', replace: 'OFFSET 0' },
      { find: 'OFFSET 99 LIMIT 1', replace: 'OFFSET 0 LIMIT 1' },
    ],
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'a lost lease is told that it has finished',
    edits: [{ within: 'AS recorded', find: 'x.outcome = ANY(', replace: `'succeeded' = ANY(` }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'what matches no row is told that it has finished',
    edits: inEveryEnd({
      find: 'WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)',
      replace: 'WHERE false',
    }),
    detectedBy: 'effect not exactly once',
  },
  {
    name: 'a job that succeeds leaves, and is written nowhere',
    edits: [{ within: archiving, find: 'FROM ended AS e )', replace: 'FROM ended AS e WHERE false )' }],
    detectedBy: 'lost',
  },
  {
    name: 'a failure ignores that no attempt is left',
    edits: inCompletion({ find: 'h.permanent OR h.attempt >= h.max_attempts', replace: 'h.permanent' }),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a failure ignores a cancel',
    edits: [
      { within: 'h.permanent', find: cancelWins, replace: cancelWins.replace('h.cancel_requested', 'false') },
    ],
    detectedBy: 'illegal transition',
  },
  {
    name: 'a job fails for good without a dead letter',
    edits: inCompletion({
      find: `WHERE h.status = 'failed_permanent'`,
      replace: `WHERE false AND h.status = 'failed_permanent'`,
    }),
    detectedBy: 'broken invariant',
  },
  {
    name: 'a snooze is charged',
    edits: [{ within: `'snoozed'`, find: 'j.attempts + -1', replace: 'j.attempts + 0' }],
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'a release is charged',
    edits: [{ within: `'released'`, find: 'j.attempts + -1', replace: 'j.attempts + 0' }],
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'a job that is returned unstarted is charged',
    edits: [{ within: 'h.attempt <= 1', find: 'j.attempts + -1', replace: 'j.attempts + 0' }],
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'a claim locks no rows',
    edits: claiming('FOR UPDATE SKIP LOCKED', ''),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a claim waits for rows that others have locked',
    edits: claiming('FOR UPDATE SKIP LOCKED', 'FOR UPDATE'),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a claim takes versions of a kind that its worker cannot run',
    edits: claiming('AND c.kind_version IS NULL ', ''),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a claim charges no attempt',
    edits: claiming('attempts = j.attempts + 1', 'attempts = j.attempts'),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a claim gives out the old token',
    edits: claiming('lease_token = j.lease_token + 1', 'lease_token = j.lease_token'),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a claim takes jobs before their time',
    edits: claiming('AND c.run_at <= now()', ''),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a claim takes from paused queues',
    edits: claiming('AND q.paused_at IS NULL', ''),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a claim takes all that it may of the first queue',
    edits: claiming('::int[])[slot.n]', '::int[])[slot.n] + 1000'),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a worker without a lease claims',
    edits: claiming('AND l.at < l.lease_expires_at', ''),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a claim takes jobs after its caller has given it up',
    edits: claiming('WHEN l.at < l.deadline AND ', 'WHEN '),
    detectedBy: 'non-terminal',
  },
  {
    name: 'a claim looks at the clock before it waits for its locks',
    edits: claiming('SELECT clock_timestamp() AS at', 'SELECT now() AS at'),
    detectedBy: 'non-terminal',
  },
  {
    name: 'a claim counts its time from its arrival alone',
    edits: claiming('least(now(), ', 'coalesce(now(), '),
    detectedBy: 'non-terminal',
  },
  {
    name: 'a claim looks at its lease as it was before the locks',
    edits: claiming('AND l.at < l.lease_expires_at', 'AND now() < l.lease_expires_at'),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a worker does not find what it claimed long ago',
    edits: [
      {
        within: 'json_agg(json_build_array(j.id, j.lease_token))',
        find: 'and "j"."locked_at" > ',
        replace: `and "j"."locked_at" > now() - interval '2 minutes' and "j"."locked_at" > `,
      },
    ],
    detectedBy: 'non-terminal',
  },
  {
    name: 'a statement that is given up is not cancelled',
    edits: [],
    connections: 'not cancelled',
    detectedBy: 'wrong answer',
  },
  {
    name: 'a recovery does not look again at what it locks',
    edits: recovering({ find: byCandidate, replace: 'WHERE j.id = c.id FOR UPDATE SKIP LOCKED' }),
    detectedBy: 'stolen from a live worker',
  },
  {
    name: 'a recovery does not compare the lease of what it locks',
    edits: recovering({ find: 'j.lease_token = c.lease_token AND ', replace: '' }),
    detectedBy: 'stolen from a live worker',
  },
  {
    name: 'a recovery overwrites a finish in flight',
    edits: recovering({ find: byCandidate, replace: byCandidate.replace(' FOR UPDATE SKIP LOCKED', '') }),
    detectedBy: 'refused',
  },
  {
    name: 'a recovery takes the jobs of live workers',
    edits: recovering({ find: `WHERE w.state <> 'active'`, replace: 'WHERE true' }),
    detectedBy: 'stolen from a live worker',
  },
  {
    name: 'a recovery marks workers as lost whose lease holds',
    edits: recovering(
      { find: 'AND x.lease_expires_at < now()', replace: '' },
      { find: 'AND w.lease_expires_at < now()', replace: '' },
    ),
    detectedBy: 'stolen from a live worker',
  },
  {
    name: 'a recovery counts no crash',
    edits: recovering({ find: 'crashes = least(j.crashes + 1, 32767)', replace: 'crashes = j.crashes' }),
    detectedBy: 'unrecorded attempt',
  },
  {
    name: 'a recovery ignores that no attempt is left',
    edits: recovering({ find: 'WHEN h.attempt >= h.max_attempts THEN', replace: 'WHEN false THEN' }),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a recovery ignores a cancel',
    edits: recovering({ find: cancelWins, replace: cancelWins.replace('h.cancel_requested', 'false') }),
    detectedBy: 'illegal transition',
  },
  {
    name: 'a cancel overwrites an end',
    edits: [
      {
        within: 'target AS t WHERE NOT EXISTS',
        find: `SET status = CASE WHEN "j"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") THEN 'cancelled'::"queue"."job_status" ELSE j.status END`,
        replace: `SET status = 'cancelled'`,
      },
      {
        within: 'target AS t WHERE NOT EXISTS',
        find: `OR "target"."status" = 'running'::"queue"."job_status" AND NOT "target"."cancel_requested"`,
        replace: `OR "target"."status" <> 'cancelled'`,
      },
    ],
    detectedBy: 'illegal transition',
  },
  {
    name: 'a claim begins what has expired',
    edits: [
      {
        find: `AND (c.expires_at IS NULL OR c.status = 'retrying'::"queue"."job_status" OR c.expires_at > (SELECT at FROM start))`,
        replace: '',
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a snooze leaves an expiry that no longer counts',
    edits: [{ find: 'result = NULL, expires_at = NULL,', replace: 'result = NULL,' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a requeue sets the token back',
    edits: [
      {
        within: 'seen AS MATERIALIZED',
        find: 'attempts = 0, cancel',
        replace: 'attempts = 0, lease_token = 0, cancel',
      },
    ],
    detectedBy: 'illegal transition',
  },
  {
    name: 'a requeue takes whatever has ended',
    edits: [
      {
        within: 'seen AS MATERIALIZED',
        find: `AND target.status IN ('failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")`,
        replace: `AND target.status <> 'running'`,
      },
    ],
    detectedBy: 'illegal transition',
  },
  {
    name: 'retention forgets keys that are to be known for longer',
    edits: [
      {
        find: 'SELECT j.id, j.keeps_key FROM doomed',
        replace: 'SELECT j.id, false AS keeps_key FROM doomed',
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a requeue leaves the dead letter behind',
    edits: [{ find: 'USING changed WHERE d.job_id = changed.id', replace: 'USING changed WHERE false' }],
    detectedBy: 'broken invariant',
  },
  {
    name: 'the requeue of a dead letter keeps its attempts',
    edits: [{ within: 'dead_letters AS MATERIALIZED', find: 'attempts = 0, cancel', replace: 'cancel' }],
    detectedBy: 'illegal transition',
  },
  {
    name: 'a tenant reads the job of another',
    edits: [{ within: 'AS "finished_at" FROM "queue".', find: ofTenant, replace: ofAnyTenant }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a tenant cancels the job of another',
    edits: [{ within: 'target AS MATERIALIZED ( SELECT j.*', find: ofTenant, replace: ofAnyTenant }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an act of a person leaves no entry',
    edits: [
      {
        within: '"audit_log" (tenant_id, act',
        find: 'VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11::uuid[])',
        replace: 'SELECT $1, $2, $3, $4, $5, $6, $7, $8::integer, $9, $10::jsonb, $11::uuid[] WHERE false',
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an entry of the audit log does not name the jobs of the act',
    edits: [{ within: '"audit_log" (tenant_id, act', find: '$11::uuid[])', replace: '($11::uuid[])[2:1])' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'the bucket of a key does not count what it has given',
    edits: [{ within: '"api_key_buckets" AS b', find: 'b.tokens + $', replace: '$7::float8 + $' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'the bucket of a key gives more than it has',
    edits: [{ within: '"api_key_buckets" AS b', find: 'floor(least(', replace: '1000 + floor(least(' }],
    detectedBy: 'broken invariant',
  },
  {
    name: 'a firing does not lock the schedules that are due',
    edits: [{ find: 'FOR UPDATE OF s SKIP LOCKED', replace: '' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a firing takes paused schedules too',
    edits: [{ within: 'AS is_retired', find: 's.paused_at IS NULL AND', replace: '' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a firing leaves the next instant where it was',
    edits: [
      {
        find: `SET next_run_at = CASE WHEN i.fault = '' THEN to_timestamp(nullif(i.next_ms, 'NaN') / 1000::float8) ELSE s.next_run_at END`,
        replace: 'SET next_run_at = s.next_run_at',
      },
    ],
    detectedBy: 'broken invariant',
  },
  {
    name: 'an operation begins anew with each batch',
    edits: noting('coalesce($3::uuid, o.reached)', 'CASE WHEN $3::uuid IS NULL THEN o.reached END'),
    detectedBy: 'wrong answer',
  },
  {
    name: 'an operation counts its last batch alone',
    edits: noting('changed = o.changed + $1::int', 'changed = $1::int'),
    detectedBy: 'wrong answer',
  },
  {
    name: 'an operation goes on at once, whatever its rate',
    edits: noting('$6::float8', '0 * $6::float8'),
    detectedBy: 'wrong answer',
  },
  {
    name: 'a batch does not lock its operation',
    edits: [{ within: dueOperation, find: 'FOR UPDATE OF o SKIP LOCKED', replace: '' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an operation that was cancelled goes on',
    edits: [{ within: dueOperation, find: "o.state = 'running' AND", replace: '' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'the cancel of an operation does not wait for its batch',
    edits: [
      {
        within: "AS o SET state = 'cancelled'",
        find: 'WHERE o.id = $1::uuid',
        replace: `WHERE o.id = (SELECT l.id FROM "queue"."operations" AS l WHERE l.id = $1::uuid FOR UPDATE SKIP LOCKED)`,
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an operation reaches jobs that came after it',
    edits: [
      {
        within: '"x"."id" ASC',
        find: `(j.status, j.id) < ('queued'::"queue"."job_status", $2::uuid)`,
        replace: `j.status = 'queued'::"queue"."job_status" AND $2::uuid IS NOT NULL`,
      },
      // The id only narrows the scan; the creation decides, on the row that was found and again on the locked one.
      { find: '"s"."created_at" < $', replace: 'now() <> $' },
      { find: '"j"."created_at" < $', replace: 'now() <> $' },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an operation takes dead letters that were made after it',
    edits: [
      {
        find: 'AND d.dead_lettered_at < $',
        replace: 'AND now() <> $',
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an operation goes on when its key is revoked',
    edits: [{ within: '"operation_key"(', find: 'k.revoked', replace: 'false AS revoked' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a batch leaves no entry in the audit log',
    edits: [{ within: '"note_batch"(', find: '$3::uuid[])', replace: '$3::uuid[]) WHERE false' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an act on many changes jobs that are no longer as it found them',
    edits: [
      {
        within: 'target AS MATERIALIZED ( SELECT j.id, j.tenant_id, j.kind',
        find: '"j"."status" IN (',
        replace: `"j"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status", `,
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a requeue of many takes jobs whose unique key another one holds',
    edits: [
      {
        within: 'AS is_held, s.scope',
        find: `WHEN 'live' THEN j.id IS NOT NULL`,
        replace: `WHEN 'live' THEN j.id IS NULL`,
      },
    ],
    detectedBy: 'wrong answer',
  },
]
