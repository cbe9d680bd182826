// Acts on the jobs of a filter, at once or as an operation that workers carry out, shown as it goes on.
import type { ActResult, Operation } from '@queue/client'
import type { DryRun, ManyResult } from '@queue/core'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../command.ts'
import { type Door, eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { flag, type ValuesOf, whole } from '../options.ts'

const rateMax = 100_000

/** How an act by filter is carried out. */
export const manyOptions = {
  'dry-run': flag('change nothing: count the jobs, and name a few'),
  rate: whole('N', { min: 1, max: rateMax }, 'so many a second, at most; workers then carry it out'),
  detach: flag('do not wait for the end where workers carry it out'),
} as const

export type ManyValues = ValuesOf<typeof manyOptions>

/** What the library has done or made, as the API answers it. */
export function toActResult(result: ManyResult): ActResult {
  if (result.outcome === 'operation')
    return { ...nothing, by_workers: true, operation: toWire(result.operation) }
  const { jobIds, skipped, previous } = result
  const done = { count: jobIds.length, skipped, job_ids: [...jobIds], previous: toWire([...previous]) }
  return { ...nothing, ...done, operation: null }
}

export function toCount({ count, isLeast, byWorkers, scanned, sample }: DryRun): ActResult {
  const found = { count, is_least: isLeast, by_workers: byWorkers, scanned: toWire(scanned) }
  return { ...nothing, ...found, job_ids: [...sample], dry_run: true, operation: null }
}

const nothing = {
  count: 0,
  is_least: false,
  by_workers: false,
  scanned: null,
  skipped: 0,
  job_ids: [] as string[],
  previous: [] as ActResult['previous'],
  dry_run: false,
}

export const readOperation = eitherWay<string, Promise<Operation>>({
  api: (client, id) => client.operation(id),
  database: async (queue, id) => {
    const operation = await queue.operations.get(id)
    if (operation !== undefined) return toWire(operation)
    throw new Failure({
      error: 'operation_not_found',
      detail: 'there is no operation with this id, or it was pruned',
    })
  },
})

interface Shown {
  /** What was done with each job: `cancelled`. */
  readonly done: string
}

/** Shows what an act has done, and waits for its operation unless it is told otherwise. */
export async function showAct(
  context: Context<ManyValues>,
  result: ActResult,
  { done }: Shown,
): Promise<ExitCode | void> {
  const { print, values } = context
  if (result.operation !== null) {
    if (!values.detach) return followOperation(context, result.operation, { done })
    const { id } = result.operation
    return print.isJson ? print.json(result) : print.raw(`workers carry it out: queue operations get ${id}\n`)
  }
  if (print.isJson) return print.json(result)
  if (!result.dry_run) {
    await print.raw(`${result.count} ${done}\n`)
    if (result.skipped > 0) print.note(`${result.skipped} were no longer such once they were locked`)
    return
  }
  await print.raw(`${result.is_least ? `${result.count} or more` : result.count} would be ${done}\n`)
  for (const id of result.job_ids) await print.raw(`  ${id}\n`)
  if (result.scanned !== null)
    print.note(`looked at ${result.scanned.rows} jobs, back to ${result.scanned.back_to}`)
}

const pollMs = 500

/** Shows how far an operation has come until it ends. Ctrl-C ends the watching alone. */
export async function followOperation(
  { print, door, signal }: Pick<Context<unknown>, 'print' | 'door' | 'signal'>,
  first: Operation,
  { done }: Shown,
): Promise<ExitCode | void> {
  const way: Door = await door()
  let operation = first
  try {
    while (operation.state === 'running') {
      print.progress(progressOf(operation, done))
      await sleep(pollMs, undefined, { signal })
      operation = await readOperation(way, operation.id)
    }
  } catch (error) {
    if (signal.aborted)
      print.note(`it goes on: queue operations get ${operation.id}, or cancel in place of get`)
    throw error
  }
  print.endProgress()
  await (print.isJson ? print.json(operation) : print.raw(`${operation.changed} ${done}\n`))
  if (operation.state === 'succeeded') return
  print.note(`the operation is ${operation.state}${operation.reason === null ? '' : `: ${operation.reason}`}`)
  return exitCodes.refused
}

function progressOf(
  { changed, skipped, expected, expected_is_least: least }: Operation,
  done: string,
): string {
  return `${changed} ${done}, ${skipped} skipped, of ${expected}${least ? ' or more' : ''}`
}
