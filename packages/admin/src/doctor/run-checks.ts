import { readTransaction, type RunnerClient, sqlState, sqlStateOf } from '@queue/postgres'
import { checkVersion } from './check-schema.ts'
import { type CheckOf, type Finding, problem } from './finding.ts'

/** A check that takes longer, in milliseconds, is cancelled: it must not load the server. */
const checkMsDefault = 10_000

/**
 * Makes the checks in order, each in a read-only transaction of its own. A check that the connection's role may not make is
 * reported as `not_permitted`, and fails nothing.
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

/** What could not be checked counts as ok. */
export function worstStatus(findings: readonly Finding[]): 'ok' | 'warning' | 'failure' {
  if (findings.some(({ status }) => status === 'failure')) return 'failure'
  return findings.some(({ status }) => status === 'warning') ? 'warning' : 'ok'
}

interface Bounded<Context> {
  readonly context: Context
  readonly checkMsMax: number
}

async function findingOf<Context extends RunnerClient>(
  run: CheckOf<Context>,
  { context, checkMsMax }: Bounded<Context>,
): Promise<Finding> {
  try {
    return await readTransaction(context, async () => {
      await context.client.query(`SET LOCAL statement_timeout = ${checkMsMax}`)
      return run(context)
    })
  } catch (error) {
    const finding = explain(error, { isVersion: (run as unknown) === checkVersion, context, checkMsMax })
    if (finding === undefined) throw error
    return finding
  }
}

interface Failed extends Bounded<RunnerClient> {
  readonly isVersion: boolean
}

/** The finding for a check that PostgreSQL refused; undefined where the connection itself failed. */
function explain(
  error: unknown,
  { isVersion, context: { migrationSet }, checkMsMax }: Failed,
): Finding | undefined {
  switch (sqlStateOf(error)) {
    case sqlState.insufficientPrivilege:
      return problem('not_permitted', {
        message: "not permitted: this connection's role may not read what the check asks for",
        cure: 'connect as the owner, or as the readonly role of migrate roles',
      })
    case sqlState.undefinedTable:
    case sqlState.invalidSchemaName: {
      const message = `the ${migrationSet.name} is not there`
      const schema = `${migrationSet.name.toUpperCase()}_SCHEMA`
      return isVersion
        ? problem('failure', { message, cure: `run ${migrationSet.upCommand}, or correct ${schema}` })
        : problem('skipped', { message, cure: 'see schema_version' })
    }
    case sqlState.queryCanceled:
      return problem('skipped', {
        message: `no answer within ${checkMsMax / 1_000} s`,
        cure: 'run it again at a quieter time',
      })
    default:
      return undefined
  }
}
