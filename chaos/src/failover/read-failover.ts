import type { TestDatabase } from '@queue/testing'
import type pg from 'pg'

/** The effects of a failover, as recorded by observers that were not part of it. */
export interface FailoverCost {
  readonly acknowledged: number
  /** Handlers that had started before the kill, and ended later or never. */
  readonly underWay: number
  /** Acknowledged jobs that the new primary does not have. */
  readonly lost: number
  /** Jobs whose handler ended more than once. */
  readonly runTwice: number
  /** Jobs that started again after an observer had seen them as succeeded. */
  readonly ranAgain: number
  /** Lease tokens under which a job started more than once. */
  readonly tokensAgain: number
}

export interface ReadFailover {
  /** The new primary. */
  readonly standby: pg.Pool
  readonly effects: TestDatabase
  readonly acknowledged: ReadonlySet<string>
  /** Jobs that an observer has seen as succeeded on the old primary. */
  readonly succeeded: ReadonlySet<string>
  /** Just before the kill and just after it, by the clock of the effect log. */
  readonly killed: { readonly from: Date; readonly to: Date }
}

export async function readFailover(input: ReadFailover): Promise<FailoverCost> {
  const { standby, effects, acknowledged, succeeded, killed } = input
  const { rows: jobs } = await standby.query<{ id: string }>('SELECT id FROM queue.all_jobs')
  const remaining = new Set(jobs.map(({ id }) => id))
  const all = [...new Set([...remaining, ...acknowledged, ...succeeded])]
  const { rows } = await effects.pool.query<{
    under_way: number
    run_twice: number
    tokens_again: number
    ran_again: number
  }>(
    `WITH own AS (SELECT * FROM chaos.effects WHERE job_id = ANY ($1::uuid[]))
     SELECT (SELECT count(*) FROM own AS b
              WHERE b.phase = 'begun' AND b.at <= $2
                AND NOT EXISTS (SELECT FROM own AS e
                                 WHERE e.job_id = b.job_id AND e.lease_token = b.lease_token
                                   AND e.phase = 'ended' AND e.at <= $2))::int AS under_way,
            (SELECT count(*) FROM (SELECT FROM own WHERE phase = 'ended' GROUP BY job_id HAVING count(*) > 1) AS t)::int
              AS run_twice,
            (SELECT count(*) FROM (SELECT FROM own WHERE phase = 'begun' GROUP BY job_id, lease_token
                                   HAVING count(*) > 1) AS t)::int AS tokens_again,
            (SELECT count(DISTINCT job_id) FROM own
              WHERE phase = 'begun' AND at > $3 AND job_id = ANY ($4::uuid[]))::int AS ran_again`,
    [all, killed.from, killed.to, [...succeeded]],
  )
  return {
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((id) => !remaining.has(id)).length,
    underWay: rows[0]?.under_way ?? 0,
    runTwice: rows[0]?.run_twice ?? 0,
    ranAgain: rows[0]?.ran_again ?? 0,
    tokensAgain: rows[0]?.tokens_again ?? 0,
  }
}
