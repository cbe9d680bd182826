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

/** Raised when a member of the document is removed or changes its meaning, but not for new members and checks. */
const documentVersion = 1

export interface DoctorOptions {
  readonly queue: Omit<DiagnoseOptions, 'clientNowMs'>
  readonly outbox: DiagnoseOutboxOptions
}

interface Diagnosis {
  readonly schema: string
  /** The worst of the findings; what could not be checked counts as ok. */
  readonly status: 'ok' | 'warning' | 'failure'
  readonly findings: readonly (Finding & { readonly check: string })[]
}

/** Checks schema, server, queue and outbox, and changes nothing. Exit code 1 when a check has failed. */
export async function doctor(
  { format, ask, print }: CommandContext,
  options: DoctorOptions,
): Promise<ExitCode> {
  const { schema, findings: ofQueue } = await ask(() =>
    diagnose({ ...options.queue, clientNowMs: () => Date.now() }),
  )
  const findings = [...ofQueue, ...(await ask(() => diagnoseOutbox(options.outbox)))]
  const diagnosis = { schema, status: worstStatus(findings), findings }
  print(format === 'json' ? toJson(diagnosis) : toText(diagnosis))
  return diagnosis.status === 'failure' ? exitCodes.failure : exitCodes.ok
}

function toJson({ schema, status, findings }: Diagnosis): string {
  return JSON.stringify({ version: documentVersion, schema, status, checks: findings })
}

const words: Readonly<Record<FindingStatus, string>> = {
  ok: 'ok',
  warning: 'warning',
  failure: 'FAILURE',
  not_permitted: '–',
  skipped: '–',
}

function toText({ schema, status, findings }: Diagnosis): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap((finding) => {
    const head = `${words[finding.status].padEnd(8)} ${finding.check.padEnd(width)}  ${finding.message}`
    return finding.cure === null ? [head] : [head, `${' '.repeat(width + 11)}→ ${finding.cure}`]
  })
  return [...lines, `schema "${schema}": ${status}`].join('\n')
}
