import { buildIndex, buildUse, dropIndex, readIndex } from './concurrent-step.ts'
import {
  dropProgress,
  missingMigrationHistory,
  noteApplied,
  quoted,
  readVersion,
} from './migration-history.ts'
import { conflict } from './lock-mode.ts'
import { advisoryKey, lockTimeoutMs, ownSearchPath, vacuumStatements } from './locked-transaction.ts'
import type { BatchedMigration, ConcurrentMigration, Migration, StepStatement } from './migration.ts'
import { type MigrationPlan, type PlannedStatement, type PlannedStep, renderPlan } from './render-plan.ts'
import type { StepContext } from './step.ts'
import { estimateMs, readTableSizes, type TableSize } from './table-size.ts'

/** The plan of the steps that are not applied yet. Reads only. */
export async function readPlan(context: StepContext): Promise<MigrationPlan> {
  const { schema, migrationSet, grants } = context
  const { version: from } = await readVersion(context)
  const pending = migrationSet.steps.slice(from)
  const sizes = await readTableSizes(context)
  const planning = { ...context, sizes }
  const steps: PlannedStep[] = []
  for (const step of pending) {
    const { version, name, type } = step
    const statements = await statementsOf(planning, step)
    steps.push({ version, name, type, statements })
  }
  // On a newer schema, the newer release determines the privileges.
  const grantTexts = from > migrationSet.steps.length ? [] : await grants.plan(context)
  const plan = {
    schema,
    from,
    to: Math.max(from, migrationSet.steps.length),
    steps,
    grants: grantTexts.length === 0 ? [] : inTransaction(planning, grantTexts.map(plain)),
  }
  return { ...plan, sql: renderPlan(plan) }
}

interface Planning extends StepContext {
  readonly sizes: ReadonlyMap<string, TableSize>
}

async function statementsOf(planning: Planning, step: Migration): Promise<PlannedStatement[]> {
  switch (step.type) {
    case 'transactional': {
      const first = step.version === 1 ? await missingMigrationHistory(planning) : []
      const statements = step.up(quoted(planning.schema))
      const vacuum = vacuumStatements(
        planning.schema,
        statements.flatMap(({ uses = [] }) => uses).filter(({ table }) => planning.sizes.has(table)),
      )
      return inTransaction(planning, [
        ...vacuum.map(plain),
        ...first.map(plain),
        ...statements.map((statement) => planned(planning, statement)),
        plain(noteApplied(planning, step)),
      ])
    }
    case 'concurrent':
      return concurrentStatements(planning, step)
    case 'batched':
      return [batches(planning, step)]
  }
}

/** The statements as one transaction, with the same settings and locks as in `up`. */
function inTransaction(
  { schema, migrationSet }: Planning,
  body: readonly PlannedStatement[],
): PlannedStatement[] {
  return [
    plain('BEGIN ISOLATION LEVEL READ COMMITTED'),
    plain(`SELECT pg_advisory_xact_lock(${advisoryKey(migrationSet.name, schema)})`),
    plain(`SET LOCAL lock_timeout = ${lockTimeoutMs}`),
    plain(ownSearchPath),
    ...body,
    plain('COMMIT'),
  ]
}

async function concurrentStatements(
  planning: Planning,
  step: ConcurrentMigration,
): Promise<PlannedStatement[]> {
  const { index } = step
  const { schema } = planning
  const isLeftOver = (await readIndex(planning, index)) === 'invalid'
  return [
    ...(isLeftOver
      ? inTransaction(
          planning,
          dropIndex(schema, index).map((drop) => planned(planning, drop)),
        )
      : []),
    plain('SET lock_timeout = 0'),
    plain('SET search_path = pg_catalog, pg_temp'),
    planned(planning, { sql: buildIndex(schema, index), uses: [buildUse(index)] }),
    plain('RESET lock_timeout'),
    plain('RESET search_path'),
    ...inTransaction(planning, [plain(assertValid(schema, step)), plain(noteApplied(planning, step))]),
  ]
}

function assertValid(schema: string, { index: { name } }: ConcurrentMigration): string {
  return `DO $queue$
BEGIN
  IF NOT (SELECT indisvalid FROM pg_index WHERE indexrelid = '${quoted(schema)}.${name}'::regclass) THEN
    RAISE EXCEPTION 'the index ${name} is not valid: drop it, and build it again';
  END IF;
END
$queue$`
}

/** Runs all batches from the beginning. A run by hand does not continue earlier batches, because batches are idempotent. */
function batches(planning: Planning, step: BatchedMigration): PlannedStatement {
  const { schema, migrationSet, sizes } = planning
  const size = sizes.get(step.table)
  const sql = `DO $queue$
DECLARE
  position text;
  over bigint;
BEGIN
  LOOP
    SET LOCAL search_path = pg_catalog, pg_temp;
    PERFORM pg_advisory_xact_lock(${advisoryKey(migrationSet.name, schema)});
    SET LOCAL lock_timeout = ${lockTimeoutMs};
    EXECUTE $batch$${step.batch(quoted(schema))}$batch$ INTO position, over USING position, ${step.rowsMax};
    EXIT WHEN position IS NULL;
    COMMIT;
  END LOOP;
  ${dropProgress(planning)};
  ${noteApplied(planning, step)};
END
$queue$`
  if (size === undefined) return plain(sql)
  return {
    sql,
    uses: [
      {
        table: step.table,
        lock: 'ROW EXCLUSIVE',
        work: 'batches',
        ...size,
        estimateMs: estimateMs('batches', size.rows),
        waits: [],
      },
    ],
  }
}

function plain(sql: string): PlannedStatement {
  return { sql, uses: [] }
}

/** A statement with the tables that it uses and what waits for them. Nothing waits for a table that an earlier step creates. */
function planned({ migrationSet, sizes }: Planning, { sql, uses = [] }: StepStatement): PlannedStatement {
  return {
    sql,
    uses: uses.flatMap((use) => {
      const size = sizes.get(use.table)
      if (size === undefined) return []
      const waits = migrationSet.traffic.filter(({ locks }) => {
        const lock = locks[use.table]
        return lock !== undefined && conflict(use.lock, lock)
      })
      return [
        {
          ...use,
          ...size,
          estimateMs: estimateMs(use.work, size.rows),
          waits: waits.map(({ name }) => name),
        },
      ]
    }),
  }
}
