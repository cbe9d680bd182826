import { processes, queueMigrationSet, type RoleNames } from '@queue/core/internal'
import {
  poolFields,
  roleNamesOf,
  type RunnerClient,
  type RunnerOptions,
  withRunnerClient,
} from '@queue/postgres'
import {
  checkClaims,
  checkEndedDays,
  checkOrphanedJobs,
  checkPausedQueues,
  checkUnservedJobs,
  checkWorkers,
  checkZoneData,
} from './check-queue.ts'
import { checkPublications } from './check-publications.ts'
import { checkIndexes, checkRoles, checkVersion } from './check-schema.ts'
import {
  checkAutovacuum,
  checkClock,
  checkConnections,
  checkDurability,
  checkObjectCreation,
  checkServerVersion,
  checkWrites,
} from './check-server.ts'
import {
  checkBloat,
  checkLongTransactions,
  checkPreparedTransactions,
  checkReplicationSlots,
} from './check-vacuum.ts'
import type { Check, CheckContext, Finding } from './finding.ts'
import { worstStatus, runChecks } from './run-checks.ts'

export interface CheckOptions {
  /** The names of the roles; default `<schema>_<process>`. */
  readonly roles?: Partial<RoleNames>
  /** The size of each process's connection pool; default 10. */
  readonly poolMax?: number
  /** This machine's clock, in milliseconds since 1970, to compare with the server's. */
  readonly clientNowMs: () => number
  /** A check that takes longer, in milliseconds, is cancelled; default 10 000. */
  readonly checkMsMax?: number
}

export interface DiagnoseOptions extends RunnerOptions, CheckOptions {}

/** Every check, in the order of the report. Programs rely on these names. */
export const checks = {
  schema_version: checkVersion,
  indexes: checkIndexes,
  roles: checkRoles,
  server_version: checkServerVersion,
  object_creation: checkObjectCreation,
  writes: checkWrites,
  durability: checkDurability,
  autovacuum: checkAutovacuum,
  long_transactions: checkLongTransactions,
  prepared_transactions: checkPreparedTransactions,
  replication_slots: checkReplicationSlots,
  publications: checkPublications,
  bloat: checkBloat,
  clock: checkClock,
  connections: checkConnections,
  workers: checkWorkers,
  zone_data: checkZoneData,
  claims: checkClaims,
  ended_days: checkEndedDays,
  orphaned_jobs: checkOrphanedJobs,
  unserved_jobs: checkUnservedJobs,
  queues_paused: checkPausedQueues,
} as const satisfies Record<string, Check>

export type CheckName = keyof typeof checks

export interface NamedFinding extends Finding {
  readonly check: CheckName
}

export interface Diagnosis {
  readonly schema: string
  /** The worst status of the findings. `not_permitted` and `skipped` count as `ok`. */
  readonly status: 'ok' | 'warning' | 'failure'
  readonly findings: readonly NamedFinding[]
}

/**
 * Checks the schema, the server and the queue, and changes nothing. If the connection's role lacks a privilege for a check,
 * its finding is `not_permitted`, which does not make the diagnosis fail. Throws `invalid_options` for an invalid schema
 * name, and `database_unavailable` if it cannot connect.
 */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  return withRunnerClient(queueMigrationSet, options, (runner) => diagnoseOn(runner, options))
}

/** Like `diagnose`, on an open connection that is not in a transaction. Errors of the connection are thrown. */
export async function diagnoseOn(
  { client, schema }: Pick<RunnerClient, 'client' | 'schema'>,
  { roles, poolMax, clientNowMs, checkMsMax }: CheckOptions,
): Promise<Diagnosis> {
  const context = {
    client,
    schema,
    migrationSet: queueMigrationSet,
    roles: roleNamesOf(processes, schema, roles),
    poolMax: poolFields.poolMax.parse(poolMax),
    clientNowMs,
    checkMsMax,
  }
  const findings = await runChecks<CheckContext, CheckName>(context, checks)
  return { schema, status: worstStatus(findings), findings }
}
