import { noteApplied } from './migration-history.ts'
import { keepVacuumAway } from './locked-transaction.ts'
import type { StepStatement, TransactionalMigration } from './migration.ts'
import { quoted } from './migration-history.ts'
import { runStatement } from './statement-failure.ts'
import { type Outcome, type StepContext, stepTransaction } from './step.ts'

/** Applies a step, records it, and grants the roles the privileges that they need, all in one transaction. */
export function applyTransactional(context: StepContext, step: TransactionalMigration): Promise<Outcome> {
  return stepTransaction<Outcome>(context, step, {
    from: step.version - 1,
    body: async () => {
      await runStatements(context, step.up(quoted(context.schema)))
      await context.client.query(noteApplied(context, step))
      await context.grants.apply(context)
      return 'done'
    },
  })
}

/** Runs statements in the current transaction, after making vacuum leave their tables. */
export async function runStatements(
  context: StepContext,
  statements: readonly StepStatement[],
): Promise<void> {
  await keepVacuumAway(
    context,
    statements.flatMap(({ uses = [] }) => uses),
  )
  for (const { sql } of statements) await runStatement(context, sql)
}
