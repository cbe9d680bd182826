// Bulk actions: their options, their results, and the progress of operations.
import type { ActResult, Operation } from '@queue/client'
import { type ExitCode, exitCodes, flag, type ValuesOf, whole } from '@queue/commands'
import type { DryRun, ManyResult } from '@queue/core'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'

const rateMax = 100_000

/** How a bulk action runs. */
export const bulkOptions = {
  'dry-run': flag('change nothing: only count the matching jobs, and name a few'),
  rate: whole('N', { min: 1, max: rateMax }, 'maximum number of jobs a second; workers then run the action'),
  detach: flag('do not wait for an operation that workers run'),
} as const

export type BulkValues = ValuesOf<typeof bulkOptions>

/** The options of a bulk action by filter, as the API takes them. */
export function byFilterOptionsOf({
  all,
  rate,
  'dry-run': isDry,
}: Partial<BulkValues> & { readonly all?: boolean }) {
  return { ...(all && { all }), ...(isDry && { dry_run: true }), ...(rate !== undefined && { rate }) }
}

/** The result of the library, as the API returns it. */
export function toActResult(result: ManyResult): ActResult {
  if (result.outcome === 'operation')
    return { ...emptyResult, by_workers: true, operation: toWire(result.operation) }
  const { jobIds, skipped, previous, cancelled, requeued } = result
  const done = {
    count: jobIds.length,
    skipped,
    job_ids: [...jobIds],
    previous: toWire([...previous]),
    cancelled: toWire([...cancelled]),
    requeued: toWire([...requeued]),
  }
  return { ...emptyResult, ...done, operation: null }
}

/** The dry run of the library, as the API returns it. */
export function toDryRunResult({ count, isLeast, byWorkers, scanned, sample }: DryRun): ActResult {
  const matches = { count, is_least: isLeast, by_workers: byWorkers, scanned: toWire(scanned) }
  return { ...emptyResult, ...matches, job_ids: [...sample], dry_run: true, operation: null }
}

const emptyResult = {
  count: 0,
  is_least: false,
  by_workers: false,
  scanned: null,
  skipped: 0,
  job_ids: [] as string[],
  previous: [] as ActResult['previous'],
  cancelled: [] as ActResult['cancelled'],
  requeued: [] as ActResult['requeued'],
  dry_run: false,
}

export const readOperation = backendCall<string, Promise<Operation>>({
  api: (client, id) => client.operation(id),
  database: async (queue, id) => {
    const operation = await queue.operations.get(id)
    if (operation !== undefined) return toWire(operation)
    throw failureOf({
      error: 'operation_not_found',
      detail: 'there is no operation with this id: it may have been removed by retention',
    })
  },
})

interface ActName {
  /** What happened to each job, such as `cancelled`. */
  readonly pastTense: string
}

/** Prints the result of a bulk action. Waits for its operation, unless --detach is given. */
export async function printActResult(
  context: Context<BulkValues>,
  result: ActResult,
  { pastTense }: ActName,
): Promise<ExitCode | void> {
  const { print, values } = context
  if (result.operation !== null) {
    if (!values.detach) return followOperation(context, result.operation, { pastTense })
    const { id } = result.operation
    return print.isJson
      ? print.json(result)
      : print.raw(`workers run this as an operation: queue operations get ${id}\n`)
  }
  if (print.isJson) return print.json(result)
  if (!result.dry_run) {
    await print.raw(`${result.count} ${pastTense}\n`)
    if (result.skipped > 0)
      print.note(`${result.skipped} skipped: they no longer matched when they were locked`)
    return
  }
  await print.raw(`${result.is_least ? `${result.count} or more` : result.count} would be ${pastTense}\n`)
  for (const id of result.job_ids) await print.raw(`  ${id}\n`)
  if (result.scanned !== null)
    print.note(`read ${result.scanned.rows} jobs, back to ${result.scanned.back_to}`)
}

const pollMs = 500

/** Shows the progress of an operation until it ends. Ctrl-C stops only the command. */
export async function followOperation(
  { print, connect, signal }: Pick<Context<unknown>, 'print' | 'connect' | 'signal'>,
  first: Operation,
  { pastTense }: ActName,
): Promise<ExitCode | void> {
  const backend = await connect()
  let operation = first
  try {
    while (operation.state === 'running') {
      print.progress(progressOf(operation, pastTense))
      await sleep(pollMs, undefined, { signal })
      operation = await readOperation(backend, operation.id)
    }
  } catch (error) {
    if (signal.aborted) {
      const { id } = operation
      print.note(`the operation continues: queue operations follow ${id}, or queue operations cancel ${id}`)
    }
    throw error
  }
  print.endProgress()
  await (print.isJson ? print.json(operation) : print.raw(`${operation.changed} ${pastTense}\n`))
  if (operation.state === 'succeeded') return
  print.note(
    `the operation was ${operation.state}${operation.reason === null ? '' : `: ${operation.reason}`}`,
  )
  return exitCodes.refused
}

function progressOf(
  { changed, skipped, expected, expected_is_least: isLeast }: Operation,
  pastTense: string,
): string {
  return `${changed} ${pastTense}, ${skipped} skipped, of ${expected}${isLeast ? ' or more' : ''}`
}
