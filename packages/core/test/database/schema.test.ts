import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Column } from '../../src/database/table.ts'
import { tables } from '../../src/database/tables.ts'
import { executionOutcomes, jobStatuses } from '../../src/domain/job.ts'
import * as limits from '../../src/domain/limits.ts'
import { isTerminal, terminalStatuses, transitions } from '../../src/domain/transitions.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

type Columns = Record<string, string | number | boolean | Date | Buffer | readonly string[] | null>

const finished = { finished_at: new Date() }
const runningColumns = { status: 'running', locked_by: 'w', locked_at: new Date(), attempts: 1 }

/** Inserts a job with these columns: `accepted`, or the name of the check that refuses it. */
async function insertOutcome(columns: Columns): Promise<string> {
  const row: Columns = { id: crypto.randomUUID(), kind: 'probe', payload: '{}', ...columns }
  const names = Object.keys(row)
  const insert = `INSERT INTO queue.jobs (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`
  return world.sql(insert, Object.values(row)).then(
    () => 'accepted',
    (error: { constraint?: string; message: string }) => error.constraint ?? error.message,
  )
}

describe('the database holds the same limits:', () => {
  test.each<[string, Columns, Columns[], string]>([
    [
      'priority',
      { priority: limits.priorityMin },
      [{ priority: limits.priorityMin - 1 }],
      'job_priority_check',
    ],
    [
      'priority',
      { priority: limits.priorityMax },
      [{ priority: limits.priorityMax + 1 }],
      'job_priority_check',
    ],
    ['attempts', { attempts: 3, max_attempts: 3 }, [{ attempts: 4, max_attempts: 3 }], 'jobs_attempts_check'],
    ['attempts', { attempts: 0 }, [{ attempts: -1 }], 'count_integer_check'],
    [
      'max_attempts',
      { max_attempts: limits.maxAttemptsMin },
      [{ max_attempts: limits.maxAttemptsMin - 1 }],
      'positive_integer_check',
    ],
    [
      'timeout_ms',
      { timeout_ms: limits.timeoutMsMax },
      [{ timeout_ms: 0 }, { timeout_ms: -1 }],
      'positive_integer_check',
    ],
    ['progress', { progress: 100 }, [{ progress: 101 }, { progress: -1 }], 'percentage_check'],
    ['lease_token', { lease_token: 0 }, [{ lease_token: -1 }], 'count_bigint_check'],
    ['crashes', { crashes: 32_767 }, [{ crashes: -1 }], 'count_smallint_check'],
    [
      'tenant_id',
      { tenant_id: 't'.repeat(limits.tenantIdLengthMax) },
      [{ tenant_id: '' }],
      'non_empty_text_check',
    ],
    ['kind', { kind: 'k'.repeat(limits.nameLengthMax) }, [{ kind: '' }], 'non_empty_text_check'],
    ['queue', { queue: 'q'.repeat(limits.nameLengthMax) }, [{ queue: '' }], 'non_empty_text_check'],
    [
      'idempotency_key',
      {
        idempotency_key: '漢'.repeat(limits.idempotencyKeyLengthMax),
        idempotency_fingerprint: Buffer.alloc(32),
      },
      [
        { idempotency_key: '', idempotency_fingerprint: Buffer.alloc(32) },
        {
          idempotency_key: 'k'.repeat(limits.idempotencyKeyLengthMax + 1),
          idempotency_fingerprint: Buffer.alloc(32),
        },
      ],
      'short_key_check',
    ],
    [
      'weight',
      { weight: limits.jobWeightMax },
      [{ weight: limits.jobWeightDefault }, { weight: limits.jobWeightMax + 1 }],
      'greater_job_weight_check',
    ],
    [
      'sensitive',
      { sensitive: Array.from({ length: limits.keptPointersMax }, (_, n) => `/${n}`) },
      [{ sensitive: [''] }, { sensitive: Array.from({ length: limits.keptPointersMax + 1 }, () => '/a') }],
      'sensitive_parts_check',
    ],
    ['open_results', { open_results: true }, [{ open_results: false }], 'only_true_check'],
    [
      'the holder of a running job',
      runningColumns,
      [
        { status: 'running' },
        { ...runningColumns, status: 'queued' },
        { ...runningColumns, locked_at: null },
        { ...runningColumns, locked_by: null },
        { locked_at: new Date() },
      ],
      'jobs_running_check',
    ],
  ])('%s', async (...[, good, bad, check]) => {
    expect(await insertOutcome(good)).toBe('accepted')
    for (const columns of bad) expect(await insertOutcome(columns)).toBe(check)
  })

  test('a job has the instant of its end exactly when its state is terminal', async () => {
    for (const status of jobStatuses) {
      const columns = status === 'running' ? runningColumns : { status }
      expect(await insertOutcome({ ...columns, ...(isTerminal(status) ? finished : {}) })).toBe('accepted')
      expect(await insertOutcome({ ...columns, ...(isTerminal(status) ? {} : finished) })).toBe(
        'jobs_finished_check',
      )
    }
  })

  test('an index entry holds the longest tenant and key in the widest script', async () => {
    const columns = {
      tenant_id: randomText(limits.tenantIdLengthMax),
      idempotency_key: randomText(limits.idempotencyKeyLengthMax),
      idempotency_fingerprint: Buffer.alloc(32),
    }
    expect(await insertOutcome(columns)).toBe('accepted')
  })

  /** Random text of characters of three bytes, which does not compress. */
  function randomText(length: number): string {
    return Array.from({ length }, () =>
      String.fromCharCode(0x4e00 + Math.floor(Math.random() * 0x5000)),
    ).join('')
  }
})

describe('names in code and schema are the same:', () => {
  test('the states, in their order', async () => {
    const rows = await world.sql<{ status: string }>(
      `SELECT enumlabel AS status FROM pg_enum WHERE enumtypid = 'queue.job_status'::regtype ORDER BY enumsortorder`,
    )
    expect(rows.map((row) => row.status)).toEqual([...jobStatuses])
  })

  test('the outcomes of attempts', async () => {
    const insert = (outcome: string): Promise<string> =>
      world
        .sql(
          `INSERT INTO queue.job_executions (job_id, lease_token, started_at, finished_at, attempt, worker_id, outcome)
           VALUES (gen_random_uuid(), 1, now(), now(), 1, 'w', $1)`,
          [outcome],
        )
        .then(
          () => 'accepted',
          (error: { constraint?: string }) => error.constraint ?? '',
        )
    for (const outcome of executionOutcomes) expect(await insert(outcome)).toBe('accepted')
    expect(await insert('crashed')).toBe('attempt_outcome_check')
  })

  test('the defaults of a job', async () => {
    await world.sql(`INSERT INTO queue.jobs (id, kind, payload) VALUES (gen_random_uuid(), 'probe', '{}')`)
    const [row] = await world.sql(
      'SELECT queue, priority, attempts, max_attempts, status::text, lease_token::int, crashes FROM queue.all_jobs',
    )
    expect(row).toEqual({
      queue: 'default',
      priority: limits.priorityDefault,
      attempts: 0,
      max_attempts: limits.maxAttemptsDefault,
      status: 'queued',
      lease_token: 0,
      crashes: 0,
    })
  })

  test('the table of transitions: every state is reached, ended jobs wait again only by a requeue or the undo of a cancel', () => {
    const entries = Object.entries(transitions)
    const reached = new Set<string>(['queued', ...entries.flatMap(([, { to }]) => to)])
    expect(reached).toEqual(new Set(jobStatuses))
    for (const status of terminalStatuses) {
      const leaving = entries
        .filter(([, { from }]) => (from as readonly string[]).includes(status))
        .map(([name]) => name)
      const isCancelled = status === 'cancelled'
      const byActs = isCancelled ? ['requeue', 'undo_cancel'] : ['requeue']
      expect(leaving).toEqual(status === 'succeeded' ? [] : byActs)
    }
  })
})

describe('the tables of the code are those of the migrations:', () => {
  interface ColumnFacts {
    readonly column: string
    readonly type: string
    readonly nullable: boolean
    readonly default: string | null
  }

  const expectedColumn = (column: string, { type, nullable, default: value }: Column): ColumnFacts => ({
    column,
    type:
      type === 'timestamptz' ? 'timestamp with time zone' : type.replace('job_status', 'queue.job_status'),
    nullable: nullable === true,
    default: typeof value === 'object' ? value.sql : value === undefined ? null : printed(type, value),
  })

  /** A constant as PostgreSQL prints it. */
  function printed(type: string, value: string | number | boolean): string {
    return typeof value === 'string'
      ? `'${value}'::${type.replace('job_status', 'queue.job_status')}`
      : `${value}`
  }

  test('no table more and none less', async () => {
    const rows = await world.sql<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'queue'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...Object.keys(tables), 'migrations'].toSorted())
  })

  test.each(Object.entries(tables))(
    '%s: each column, its type, nullability and default',
    async (table, definition) => {
      const columns = await world.sql<ColumnFacts>(
        `SELECT a.attname::text AS column,
              format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), a.atttypmod) AS type, NOT a.attnotnull AS nullable,
              pg_get_expr(d.adbin, d.adrelid) AS default
         FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
         LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
        [`queue.${table}`],
      )
      const byName = (facts: readonly ColumnFacts[]) =>
        Object.fromEntries(facts.map((column) => [column.column, column]))
      expect(byName(columns)).toEqual(
        byName(Object.entries(definition.columns).map(([name, column]) => expectedColumn(name, column))),
      )
    },
  )
})

describe('indexes', () => {
  test('no partial index has a predicate that a finish implies', async () => {
    const rows = await world.sql<{ predicate: string }>(
      `SELECT pg_get_expr(indpred, indrelid) AS predicate FROM pg_index
        WHERE indrelid = 'queue.jobs'::regclass AND indpred IS NOT NULL`,
    )
    expect(rows.length).toBeGreaterThan(0)
    // Rows that a predicate excludes are not in its index.
    const included = rows.map(({ predicate }) => predicate.replace(/status <> ALL \(ARRAY\[.*?\]\)/, ''))
    for (const predicate of included) expect(predicate).not.toContain('running')
  })
})
