import { readFile } from 'node:fs/promises'
import type { Enqueued, EnqueueOptions } from '@queue/client'
import type { JobDefinition, JobOptions, Queue } from '@queue/core'
import { type Context, defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { Failure, usageFailure } from '../failure.ts'
import { duration, file, flag, instant, json, parseJson, text, type ValuesOf, whole } from '../options.ts'
import { exitCodeOf, filterOf, printJob } from './jobs.ts'
import { endOf } from './wait-for-job.ts'

interface NewJob {
  readonly kind: string
  readonly payload: unknown
  /** In the names of the API. */
  readonly options: EnqueueOptions
}

const enqueueJob = eitherWay<NewJob, Promise<Enqueued>>({
  api: (client, { kind, payload, options }) => client.enqueue(kind, payload, options),
  database: (queue, job) => enqueueInDatabase(queue, job),
})

async function enqueueInDatabase(
  queue: Queue,
  { kind, payload, options: { onMismatch, ...members } }: NewJob,
): Promise<Enqueued> {
  const { builtInJobs } = await import('@queue/core')
  const definitions: readonly JobDefinition[] = builtInJobs
  const definition = definitions.find((one) => one.kind === kind)
  if (definition === undefined) throw unknownKind(definitions)
  const { run_at: runAt, ...rest } = members
  const options = toFilter({
    // As the client does: an enqueue whose answer was lost is then found again.
    idempotency_key: crypto.randomUUID(),
    ...rest,
  }) as JobOptions
  const enqueued = await queue.enqueue(definition, payload, {
    ...options,
    ...(runAt !== undefined && { runAt: new Date(runAt) }),
    ...(onMismatch !== undefined && { onMismatch }),
  })
  return { job: toWire(enqueued.job), replayed: enqueued.replayed, mismatch: enqueued.mismatched }
}

function unknownKind(definitions: readonly JobDefinition[]): Failure {
  const message = `is no known kind; known: ${definitions.map(({ kind }) => kind).join(', ')}`
  const issues = [{ path: '/kind', message }]
  return new Failure({ error: 'unknown_kind', detail: `/kind: ${message}`, issues })
}

const priorityMax = 9
const attemptsMax = 100

const memberOptions = {
  queue: text('QUEUE', "in place of its kind's queue"),
  priority: whole('N', { min: 0, max: priorityMax }, "in place of its kind's; lower runs first"),
  'run-at': instant('INSTANT', 'the earliest start'),
  delay: duration('DURATION', 'how long until the earliest start, such as 90s or 1h30m'),
  'max-attempts': whole('N', { min: 1, max: attemptsMax }, 'how often it may be tried'),
  timeout: duration('DURATION', 'how long one attempt may take'),
  'retry-policy': json('JSON', 'how long it waits between its attempts'),
  'idempotency-key': text('KEY', 'one key makes one job, however often it is enqueued'),
  tenant: text('TENANT', 'whose job it is'),
} as const

const options = {
  payload: json('JSON', 'the input of its handler'),
  'payload-file': file('a file with the payload; - is standard input'),
  ...memberOptions,
  strict: flag('refuse a known idempotency key with another kind, queue or payload'),
  wait: flag('wait until the job has ended; the exit code is that of queue wait'),
} as const

export const enqueue = defineCommand({
  name: 'enqueue',
  summary: 'enqueue a job, and show it',
  description:
    'The job is committed when it is shown. A payload on the command line can be seen by every user of the machine: pass secrets by --payload-file.',
  arguments: [{ name: 'KIND' }],
  options,
  examples: [
    {
      line: `queue enqueue summarize_text --payload '{"text":"A long story."}'`,
      says: 'As soon as a worker is free',
    },
    {
      line: `queue enqueue send_email --payload-file welcome.json --delay 5m --idempotency-key welcome-ada`,
      says: 'In five minutes, and once, however often this is run',
    },
    {
      line: `echo '{"text":"A long story."}' | queue enqueue summarize_text --payload-file - --priority 1 --json`,
      says: 'From standard input, ahead of others',
    },
  ],
  async run(context) {
    const {
      words: [kind = ''],
      values,
      door,
      print,
      signal,
    } = context
    if (values['run-at'] !== undefined && values.delay !== undefined) {
      throw usageFailure('--run-at and --delay both say when the job may start', 'give one of them')
    }
    const payload = await payloadOf(context)
    const way = await door()
    const enqueued = await enqueueJob(way, { kind, payload, options: membersOf(values) })
    const { replayed, mismatch } = enqueued
    const isKeyKnown = values['idempotency-key'] !== undefined && replayed
    if (isKeyKnown && !print.isJson) {
      print.note(
        `the idempotency key is known: this is the job that it made${mismatch ? ', by another request' : ''}`,
      )
    }
    const job = values.wait
      ? await endOf(way, { id: enqueued.job.id, signal, timeoutMs: Infinity })
      : enqueued.job
    await (print.isJson ? print.json({ job, replayed, mismatch }) : printJob({ print }, job))
    return values.wait ? exitCodeOf(job) : undefined
  },
})

async function payloadOf({ values, readInput }: Context<ValuesOf<typeof options>>): Promise<unknown> {
  const { payload, 'payload-file': path } = values
  if ('payload' in values === (path !== undefined)) {
    throw usageFailure('an enqueue takes one payload', 'give --payload JSON or --payload-file FILE')
  }
  if (path === undefined) return payload
  const read = path === '-' ? readInput() : readFile(path, 'utf8')
  const given = await read.catch((cause: Error) => {
    throw usageFailure(`--payload-file cannot be read: ${cause.message}`)
  })
  try {
    return parseJson(given)
  } catch (error) {
    throw error instanceof Failure ? usageFailure(`--payload-file ${error.message}`) : error
  }
}

/** The members that have another name on the command line. */
const memberNames: Readonly<Record<string, string>> = {
  delay: 'delay_ms',
  timeout: 'timeout_ms',
  tenant: 'tenant_id',
}

function membersOf(values: ValuesOf<typeof options>): EnqueueOptions {
  const given = filterOf(values, Object.keys(memberOptions))
  const members = Object.entries(given).map(([name, value]) => [memberNames[name] ?? name, value])
  return { ...Object.fromEntries(members), ...(values.strict && { onMismatch: 'reject' }) } as EnqueueOptions
}
