import { diagnose, type Diagnosis, type DiagnoseOptions, type FindingStatus } from '@queue/core'
import { type ExitCode, exitCodes } from '@queue/service'
import type { CommandContext } from './command-context.ts'

/** Raised when a member of the document goes, or changes its meaning; new members and checks leave it. */
const documentVersion = 1

/** Looks over schema, server and queue, and changes nothing. Exit code 1 when something has failed. */
export async function doctor(
  { format, ask, print }: CommandContext,
  options: Omit<DiagnoseOptions, 'clientNowMs'>,
): Promise<ExitCode> {
  const diagnosis = await ask(() => diagnose({ ...options, clientNowMs: () => Date.now() }))
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
