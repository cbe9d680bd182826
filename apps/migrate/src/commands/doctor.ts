import {
  diagnose,
  diagnoseOutbox,
  type DiagnoseOptions,
  type DiagnoseOutboxOptions,
  type Finding,
  type FindingStatus,
  worstStatus,
} from '@queue/admin'
import { type ExitCode, exitCodes } from '@queue/service'
import type { CommandContext } from './command-context.ts'

/** Increased when a member of the document is removed or changes its meaning, but not for new members and checks. */
const documentVersion = 1

export interface DoctorOptions {
  readonly queue: Omit<DiagnoseOptions, 'clientNowMs'>
  readonly outbox: DiagnoseOutboxOptions
}

interface Diagnosis {
  readonly schema: string
  /** The worst status of the findings. `not_permitted` and `skipped` count as `ok`. */
  readonly status: 'ok' | 'warning' | 'failure'
  readonly findings: readonly (Finding & { readonly check: string })[]
}

/** Checks schema, server, queue and outbox, and changes nothing. Returns exit code 1 if a check is a failure. */
export async function doctor(
  { format, retry, print }: CommandContext,
  options: DoctorOptions,
): Promise<ExitCode> {
  const { schema, findings: queueFindings } = await retry(() =>
    diagnose({ ...options.queue, clientNowMs: () => Date.now() }),
  )
  const findings = [...queueFindings, ...(await retry(() => diagnoseOutbox(options.outbox)))]
  const diagnosis = { schema, status: worstStatus(findings), findings }
  print(format === 'json' ? toJson(diagnosis) : toText(diagnosis))
  return diagnosis.status === 'failure' ? exitCodes.failure : exitCodes.ok
}

function toJson({ schema, status, findings }: Diagnosis): string {
  return JSON.stringify({ version: documentVersion, schema, status, checks: findings })
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
