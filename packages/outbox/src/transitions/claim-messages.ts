// pending → leased, and leased → leased once a lease has ended. Called by a relay. Two relays never hold the same message.
import { sqlStateOf } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { type ClaimedRow, claimedColumns, decodeClaimed } from '../database/message-row.ts'
import type { OutboxDatabase, OutboxNames } from '../database/outbox-database.ts'
import { claimBatchMax, keysPerClaimMax } from '../domain/limits.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { historyWith, lostError } from './history.ts'

export interface ClaimInput {
  readonly workerId: string
  /** The topics for which this relay has a route, in the order in which they are served. Other topics are not touched. */
  readonly topics: readonly string[]
  /** The most messages to claim, 1..`claimBatchMax`. */
  readonly limit: number
  /** Milliseconds, by the database's clock, until other relays may claim the messages. */
  readonly leaseMs: number
  /** The number of the last attempt. */
  readonly maxAttempts: number
  /** Which messages come first: `keyed` or `keyless`. */
  readonly first: Lane
  /** The position of the walk over the keys, by topic, as the last claim returned it. */
  readonly walk: KeyWalk
}

export type Lane = 'keyed' | 'keyless'

/** By topic, the key after which the walk continues; absent: from the start. */
export type KeyWalk = ReadonlyMap<string, string>

export interface Claim {
  /** In the order in which they are to be dispatched. */
  readonly messages: readonly ClaimedMessage[]
  readonly walk: KeyWalk
}

/**
 * Claims up to `limit` due messages in one statement. It charges each attempt and raises each lease token. If a lost relay held a
 * message, the lost attempt is added to the history of that message.
 *
 * Messages without a key are found by one bounded scan of the due messages of each topic. Messages with a key are found by a walk
 * from key to key. Each step is one lookup in the index, which finds the oldest undelivered message of a key, whatever comes
 * after it. Only this message can be claimed, and only if it is due: a failing message holds up its own key, and costs other keys
 * one step. A walk examines `keysPerClaimMax` keys of a topic and continues from there at the next claim, so that a backlog of
 * failing keys does not make claims more expensive.
 *
 * A second check finds the message of a key that is held although it is not the oldest, because the transaction of an older
 * message has committed since. Then only the held message can be claimed, once its lease has ended. Two concurrent claims may
 * find different messages of the same key; the unique index on held keys lets only one of them succeed.
 *
 * A message on its last attempt is never claimed. When its lease ends, it is dead-lettered (dead-letter-lost-messages).
 */
export async function claimMessages(database: OutboxDatabase, input: ClaimInput): Promise<Claim> {
  const limit = Math.min(input.limit, claimBatchMax)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const rows = await claimRows(database, { ...input, limit })
    if (rows !== undefined) return claimOf(rows, { ...input, limit })
  }
  return { messages: [], walk: input.walk }
}

/**
 * Each further try sees the messages that the other claim has taken. After this many conflicts, the next claim takes the keys.
 */
const triesMax = 3

/** The errors of two conflicting claims: unique_violation, and deadlock_detected if they took two keys in opposite order. */
const conflictStates: ReadonlySet<unknown> = new Set(['23505', '40P01'])

/** Returns undefined, with nothing claimed, if a concurrent claim has taken one of the keys. */
async function claimRows(database: OutboxDatabase, input: ClaimInput): Promise<ClaimRow[] | undefined> {
  try {
    return await database.run(claimStatement(database.names, input))
  } catch (error) {
    if (conflictStates.has(sqlStateOf(error))) return undefined
    throw error
  }
}

function claimOf(rows: readonly ClaimRow[], { limit, walk }: ClaimInput): Claim {
  const claimed = rows.filter((row) => row.id !== null).toSorted((a, b) => a.place - b.place)
  const [first] = rows
  if (first === undefined) throw new Error('a claim returned no row')
  const ends = JSON.parse(first.ends) as WalkEnd[]
  const reachedLimit = claimed.length === limit
  return { messages: claimed.map(decodeClaimed), walk: walkAfter(walk, { ends, claimed, reachedLimit }) }
}

/** The position that the walk over a topic's keys has reached; `over` if there is no further key. */
interface WalkEnd {
  readonly topic: string
  readonly key: string | null
  readonly over: boolean
}

/** A claimed message, with the ends of the walks on each row. Without a claimed message there is one row with only the ends. */
type ClaimRow = { readonly ends: string } & (
  | (ClaimedRow & { readonly place: number })
  | { readonly id: null; readonly place: number }
)

type Claimed = ClaimedRow & { readonly place: number }

interface WalkResult {
  readonly ends: readonly WalkEnd[]
  readonly claimed: readonly Claimed[]
  readonly reachedLimit: boolean
}

/** After a claim that reached its limit, the walk continues after the last claimed key, otherwise at its end. */
function walkAfter(previousWalk: KeyWalk, result: WalkResult): KeyWalk {
  const next = new Map(previousWalk)
  if (result.reachedLimit) {
    for (const { topic, key } of result.claimed) if (key !== null) next.set(topic, key)
    return next
  }
  for (const { topic, key, over } of result.ends) {
    if (over || key === null) next.delete(topic)
    else next.set(topic, key)
  }
  return next
}

function claimStatement(names: OutboxNames, input: ClaimInput): RawBuilder<ClaimRow> {
  const lanes = { keyed: keyedDue(names), keyless: keylessDue(names, input) }
  const second = input.first === 'keyed' ? 'keyless' : 'keyed'
  return sql<ClaimRow>`
    WITH RECURSIVE topics AS MATERIALIZED (
      SELECT * FROM unnest(${input.topics}::text[], ${input.topics.map((topic) => input.walk.get(topic) ?? '')}::text[])
        WITH ORDINALITY AS t (topic, after_key, place)
    ), ${keyWalk(names, input.limit)}, candidates AS MATERIALIZED (
      SELECT due.id, row_number() OVER () AS place
        FROM (${lanes[input.first]} UNION ALL ${lanes[second]}) AS due
       LIMIT ${sql.lit(input.limit)}
    ), claimed AS (
      UPDATE ${names.messages} AS m
         SET attempts = m.attempts + 1, lease_token = m.lease_token + 1,
             last_attempt = m.attempts + 1 >= ${input.maxAttempts}::int,
             next_retry_at = now() + ${input.leaseMs}::float8 * interval '1 millisecond',
             leased_by = ${input.workerId}, leased_at = now(),
             history = CASE WHEN ${wasLost} THEN ${lostHistory} ELSE m.history END,
             last_error = CASE WHEN ${wasLost} THEN ${lostError('m')} ELSE m.last_error END
        FROM candidates AS c
       WHERE m.id = c.id AND m.id = ANY(ARRAY(SELECT candidates.id FROM candidates))
      RETURNING ${claimedColumns('m')}, c.place::int AS place
    )
    SELECT walks.ends, claimed.*
      FROM (SELECT coalesce(json_agg(json_build_object('topic', e.topic, 'key', e.key, 'over', e.over)), '[]')::text
                   AS ends FROM ends AS e) AS walks
      LEFT JOIN claimed ON true`
}

/** Whether a relay was lost with the message. A relay that stopped during a dispatch has left the lease without its name. */
const wasLost = sql`m.leased_by <> ''`

const lostHistory = historyWith({ row: 'm', outcome: 'lost', error: lostError('m') })

/** There is no sort above the row locks, because a sort would first lock `limit` rows of every topic. */
function keylessDue(names: OutboxNames, { limit }: ClaimInput): RawBuilder<unknown> {
  return sql`(
        SELECT due.id FROM topics AS t
         CROSS JOIN LATERAL (
           SELECT c.id FROM ${names.messages} AS c
            WHERE c.topic = t.topic AND c.delivered_at IS NULL AND c.key IS NULL AND NOT c.last_attempt
              AND c.next_retry_at <= now()
            ORDER BY c.next_retry_at LIMIT ${sql.lit(limit)} FOR UPDATE SKIP LOCKED
         ) AS due)`
}

/**
 * The walk reads without locks. Here the row is locked and its lease token compared again, so that a message which was claimed,
 * delivered or dead-lettered in between is left alone.
 */
function keyedDue(names: OutboxNames): RawBuilder<unknown> {
  return sql`(
        SELECT due.id FROM walked AS w
         CROSS JOIN LATERAL (
           SELECT c.id FROM ${names.messages} AS c
            WHERE c.id = w.id AND c.lease_token = w.lease_token AND c.delivered_at IS NULL
              AND c.next_retry_at <= now()
              FOR UPDATE SKIP LOCKED
         ) AS due
         WHERE w.due)`
}

/** Walks from key to key in each topic, until enough due messages are found, enough keys are examined, or no key is left. */
function keyWalk(names: OutboxNames, limit: number): RawBuilder<unknown> {
  const goesOn = sql`w.steps < ${sql.lit(keysPerClaimMax)} AND w.found < ${sql.lit(limit)}`
  return sql`walked AS (
      SELECT t.topic, t.after_key COLLATE "C" AS key, NULL::uuid AS id, NULL::bigint AS lease_token, false AS due,
             0 AS steps, 0 AS found
        FROM topics AS t
      UNION ALL
      SELECT w.topic, head.key, coalesce(held.id, head.id), coalesce(held.lease_token, head.lease_token),
             coalesce(held.due, head.due), w.steps + 1, w.found + coalesce(held.due, head.due)::int
        FROM walked AS w
       CROSS JOIN LATERAL (
         SELECT c.key, c.id, c.lease_token, c.leased_by, ${isDue('c')} AS due
           FROM ${names.messages} AS c
          WHERE c.topic = w.topic AND c.key > w.key AND c.delivered_at IS NULL AND c.key IS NOT NULL
          ORDER BY c.key, c.sequence LIMIT 1
       ) AS head
        LEFT JOIN LATERAL (
         SELECT l.id, l.lease_token, ${isDue('l')} AS due
           FROM ${names.messages} AS l
          WHERE head.leased_by IS NULL AND l.topic = w.topic AND l.key = head.key AND l.leased_by IS NOT NULL
       ) AS held ON true
       WHERE ${goesOn}
    ), ends AS (
      SELECT DISTINCT ON (w.topic) w.topic, CASE WHEN w.steps > 0 THEN w.key END AS key, ${goesOn} AS over
        FROM walked AS w ORDER BY w.topic, w.steps DESC
    )`
}

function isDue(row: string): RawBuilder<unknown> {
  const at = sql.id(row)
  return sql`${at}.next_retry_at <= now() AND NOT ${at}.last_attempt`
}
