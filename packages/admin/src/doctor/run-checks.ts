import { readTransaction, type RunnerClient, sqlState, sqlStateOf } from '@queue/postgres'
import { checkVersion, missingSchema } from './check-schema.ts'
import { type CheckOf, type Finding, problem } from './finding.ts'

/** A check that takes longer than this, in milliseconds, is cancelled, so that it does not load the server. */
const checkMsDefault = 10_000

/**
 * Runs the checks in order, each in a read-only transaction of its own. If the connection's role lacks a privilege for a
 * check, its finding is `not_permitted`.
 */
export async function runChecks<Context extends RunnerClient, Name extends string>(
  context: Context & { readonly checkMsMax?: number | undefined },
  checks: Readonly<Record<Name, CheckOf<Context>>>,
): Promise<(Finding & { readonly check: Name })[]> {
  const findings: (Finding & { readonly check: Name })[] = []
  for (const [check, run] of Object.entries(checks) as [Name, CheckOf<Context>][]) {
    findings.push({
      check,
      ...(await findingOf(run, { context, checkMsMax: context.checkMsMax ?? checkMsDefault })),
    })
  }
  return findings
}

/** The worst status of the findings. `not_permitted` and `skipped` count as `ok`. */
export function worstStatus(findings: readonly Finding[]): 'ok' | 'warning' | 'failure' {
  if (findings.some(({ status }) => status === 'failure')) return 'failure'
  return findings.some(({ status }) => status === 'warning') ? 'warning' : 'ok'
}

interface CheckRun<Context> {
  readonly context: Context
  readonly checkMsMax: number
}

async function findingOf<Context extends RunnerClient>(
  run: CheckOf<Context>,
  { context, checkMsMax }: CheckRun<Context>,
): Promise<Finding> {
  try {
    return await readTransaction(context, async () => {
      await context.client.query(`SET LOCAL statement_timeout = ${checkMsMax}`)
      return run(context)
    })
  } catch (error) {
    const finding = findingOfError(error, {
      isVersion: (run as unknown) === checkVersion,
      context,
      checkMsMax,
    })
    if (finding === undefined) throw error
    return finding
  }
}

interface FailedCheck extends CheckRun<RunnerClient> {
  readonly isVersion: boolean
}

/** The finding for a check that PostgreSQL refused; undefined if the connection itself failed. */
function findingOfError(
  error: unknown,
  { isVersion, context: { migrationSet }, checkMsMax }: FailedCheck,
): Finding | undefined {
  switch (sqlStateOf(error)) {
    case sqlState.insufficientPrivilege:
      return problem('not_permitted', {
        message: "not permitted: this connection's role may not read what the check needs",
        cure: 'connect as the owner, or as the readonly role that queue-migrate roles sets up',
      })
    case sqlState.undefinedTable:
    case sqlState.invalidSchemaName:
      return isVersion
        ? missingSchema(migrationSet)
        : problem('skipped', {
            message: `the ${migrationSet.name} does not exist`,
            cure: 'see schema_version',
          })
    case sqlState.queryCanceled:
      return problem('skipped', {
        message: `the check took longer than ${checkMsMax / 1_000} s`,
        cure: 'run it again when the server is less busy',
      })
    default:
      return undefined
  }
}
