import { readTransaction, type RunnerClient, sqlState, sqlStateOf } from '@queue/postgres'
import { checkVersion } from './check-schema.ts'
import { type CheckOf, type Finding, ill } from './finding.ts'

/** A check that takes longer is given up, in milliseconds: it must not be a load of its own. */
const checkMsMax = 10_000

/**
 * Makes each check in its order, in a transaction of its own that can only read. One that the connection's role may not
 * make says so and fails nothing.
 */
export async function runChecks<Context extends RunnerClient, Name extends string>(
  context: Context,
  checks: Readonly<Record<Name, CheckOf<Context>>>,
): Promise<(Finding & { readonly check: Name })[]> {
  const findings: (Finding & { readonly check: Name })[] = []
  for (const [check, look] of Object.entries(checks) as [Name, CheckOf<Context>][]) {
    findings.push({ check, ...(await findingOf(look, context)) })
  }
  return findings
}

/** What could not be checked counts as ok. */
export function gravest(findings: readonly Finding[]): 'ok' | 'warning' | 'failure' {
  if (findings.some(({ status }) => status === 'failure')) return 'failure'
  return findings.some(({ status }) => status === 'warning') ? 'warning' : 'ok'
}

async function findingOf<Context extends RunnerClient>(
  look: CheckOf<Context>,
  context: Context,
): Promise<Finding> {
  try {
    return await readTransaction(context, async () => {
      await context.client.query(`SET LOCAL statement_timeout = ${checkMsMax}`)
      return look(context)
    })
  } catch (error) {
    const finding = explain(error, { isVersion: (look as unknown) === checkVersion, context })
    if (finding === undefined) throw error
    return finding
  }
}

interface Failed {
  readonly isVersion: boolean
  readonly context: RunnerClient
}

/** What a refusal of PostgreSQL says about the check; undefined where the connection itself is at fault. */
function explain(error: unknown, { isVersion, context: { lineage } }: Failed): Finding | undefined {
  switch (sqlStateOf(error)) {
    case sqlState.insufficientPrivilege:
      return ill('not_permitted', {
        message: "not permitted: this connection's role may not read what the check asks for",
        cure: 'connect as the owner, or as the readonly role of migrate roles',
      })
    case sqlState.undefinedTable:
    case sqlState.invalidSchemaName: {
      const message = `the ${lineage.name} is not there`
      const schema = `${lineage.name.toUpperCase()}_SCHEMA`
      return isVersion
        ? ill('failure', { message, cure: `run ${lineage.upCommand}, or correct ${schema}` })
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
