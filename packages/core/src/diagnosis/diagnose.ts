import { processes, type RoleNames, roleNamesOf } from '../access/process-roles.ts'
import { sqlState, sqlStateOf } from '../database/pg-error.ts'
import { queueLineage } from '../migrations/index.ts'
import { readTransaction } from '../migrator/locked-transaction.ts'
import { type RunnerOptions, withRunnerClient } from '../migrator/runner-client.ts'
import { checkOrphanedJobs, checkPausedQueues, checkWorkers } from './check-queue.ts'
import { checkIndexes, checkRoles, checkVersion } from './check-schema.ts'
import {
  checkAutovacuum,
  checkClock,
  checkConnections,
  checkDurability,
  checkServerVersion,
} from './check-server.ts'
import {
  checkBloat,
  checkLongTransactions,
  checkPreparedTransactions,
  checkReplicationSlots,
} from './check-vacuum.ts'
import { type Check, type CheckContext, type Finding, ill } from './finding.ts'

export interface DiagnoseOptions extends RunnerOptions {
  /** The names of the roles; default `<schema>_<process>`. */
  readonly roles?: Partial<RoleNames>
  /** The connections that each process may hold in its pool; default 10. */
  readonly poolMax?: number
  /** This machine's clock, in milliseconds since 1970: it is compared with the server's. */
  readonly clientNowMs: () => number
}

/** Every check, in the order in which they are told. Programs know them by these names. */
export const checks = {
  schema_version: checkVersion,
  indexes: checkIndexes,
  roles: checkRoles,
  server_version: checkServerVersion,
  durability: checkDurability,
  autovacuum: checkAutovacuum,
  long_transactions: checkLongTransactions,
  prepared_transactions: checkPreparedTransactions,
  replication_slots: checkReplicationSlots,
  bloat: checkBloat,
  clock: checkClock,
  connections: checkConnections,
  workers: checkWorkers,
  orphaned_jobs: checkOrphanedJobs,
  queues_paused: checkPausedQueues,
} as const satisfies Record<string, Check>

export type CheckName = keyof typeof checks

export interface NamedFinding extends Finding {
  readonly check: CheckName
}

export interface Diagnosis {
  readonly schema: string
  /** The gravest of the findings; what could not be checked counts as ok. */
  readonly status: 'ok' | 'warning' | 'failure'
  readonly findings: readonly NamedFinding[]
}

const poolMaxDefault = 10
/** A check that takes longer is given up, in milliseconds: it must not be a load of its own. */
const checkMsMax = 10_000

/**
 * Looks over the schema, the server and the queue, and changes nothing. A check that the connection's role may not
 * make says so and fails nothing. Throws `invalid_options` for a bad schema name, `database_unavailable` without a
 * connection.
 */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  return withRunnerClient(queueLineage, options, async (runner) => {
    const context: CheckContext = {
      ...runner,
      roles: roleNamesOf(processes, runner.schema, options.roles),
      poolMax: options.poolMax ?? poolMaxDefault,
      clientNowMs: options.clientNowMs,
    }
    const findings: NamedFinding[] = []
    for (const [check, look] of Object.entries(checks) as [CheckName, Check][]) {
      findings.push({ check, ...(await findingOf(look, context)) })
    }
    return { schema: runner.schema, status: worst(findings), findings }
  })
}

function worst(findings: readonly Finding[]): Diagnosis['status'] {
  if (findings.some(({ status }) => status === 'failure')) return 'failure'
  return findings.some(({ status }) => status === 'warning') ? 'warning' : 'ok'
}

async function findingOf(look: Check, context: CheckContext): Promise<Finding> {
  try {
    return await readTransaction(context, async () => {
      await context.client.query(`SET LOCAL statement_timeout = ${checkMsMax}`)
      return look(context)
    })
  } catch (error) {
    const finding = explain(error, look)
    if (finding === undefined) throw error
    return finding
  }
}

/** What a refusal of PostgreSQL says about the check; undefined where the connection itself is at fault. */
function explain(error: unknown, look: Check): Finding | undefined {
  switch (sqlStateOf(error)) {
    case sqlState.insufficientPrivilege:
      return ill('not_permitted', {
        message: "not permitted: this connection's role may not read what the check asks for",
        cure: 'connect as the owner, or as the readonly role of migrate roles',
      })
    case sqlState.undefinedTable:
    case sqlState.invalidSchemaName: {
      const message = 'the queue is not there'
      return look === checkVersion
        ? ill('failure', { message, cure: 'run migrate up, or correct QUEUE_SCHEMA' })
        : ill('skipped', { message, cure: 'see schema_version' })
    }
    case sqlState.queryCanceled:
      return ill('skipped', {
        message: `no answer within ${checkMsMax / 1_000} s`,
        cure: 'run it again at a quieter time',
      })
    default:
      return undefined
  }
}
