import { diagnose, diagnoseOutbox, type Finding, type FindingStatus, worstStatus } from '@queue/admin'
import { exitCodes } from '@queue/service'
import { defineCommand } from '../command.ts'
import type { MigrateConfig } from '../config.ts'
import { connectionOf } from '../managed-schema.ts'
import { roleNames } from '../role-variables.ts'

/** Increased when a member of the document is removed or changes its meaning, but not for new members and checks. */
const documentVersion = 1

interface Diagnosis {
  readonly schema: string
  /** The worst status of the findings. `not_permitted` and `skipped` count as `ok`. */
  readonly status: 'ok' | 'warning' | 'failure'
  readonly findings: readonly (Finding & { readonly check: string })[]
}

/** Checks schema, server, queue and outbox, and changes nothing. Returns exit code 1 if a check is a failure. */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check schema, server and queue, and say what is wrong and what to do',
  description: 'It changes nothing. The exit code is 1 if a check is a failure.',
  arguments: [],
  options: {},
  examples: [{ line: 'queue-migrate doctor', description: 'Everything that it checks' }],
  async run({ config, retry, print }) {
    const options = optionsOf(config)
    const { schema, findings: queueFindings } = await retry(() =>
      diagnose({ ...options.queue, clientNowMs: () => Date.now() }),
    )
    const findings = [...queueFindings, ...(await retry(() => diagnoseOutbox(options.outbox)))]
    const status = worstStatus(findings)
    await (print.isJson
      ? print.json({ version: documentVersion, schema, status, checks: findings })
      : print.line(toText({ schema, status, findings })))
    return status === 'failure' ? exitCodes.failure : exitCodes.ok
  },
})

function optionsOf(config: MigrateConfig) {
  return {
    queue: { ...connectionOf(config), roles: roleNames(config), poolMax: config.DATABASE_POOL_MAX },
    outbox: {
      connectionString: config.OUTBOX_DATABASE_URL ?? config.DATABASE_URL,
      schema: config.OUTBOX_SCHEMA,
      // If the database of an outbox is configured, a missing outbox is a failure.
      absence: config.OUTBOX_DATABASE_URL === undefined ? 'meant' : 'failure',
    },
  } as const
}

const statusLabels: Readonly<Record<FindingStatus, string>> = {
  ok: 'ok',
  warning: 'warning',
  failure: 'FAILURE',
  not_permitted: '–',
  skipped: '–',
}

function toText({ schema, status, findings }: Diagnosis): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap((finding) => {
    const head = `${statusLabels[finding.status].padEnd(8)} ${finding.check.padEnd(width)}  ${finding.message}`
    return finding.cure === null ? [head] : [head, `${' '.repeat(width + 11)}→ ${finding.cure}`]
  })
  return [...lines, `schema "${schema}": ${status}`].join('\n')
}
