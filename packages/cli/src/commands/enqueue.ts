import type { Enqueued, EnqueueOptions } from '@queue/client'
import type { JobOptions, Queue } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { usageFailure } from '../failure.ts'
import { choice, duration, flag, instant, text, type ValuesOf } from '../options.ts'
import { builtInKind } from './built-in-kind.ts'
import { exitCodeOf, filterOf, jobOptions, printJob, toMembers } from './jobs.ts'
import { payloadOf, payloadOptions } from './payload.ts'
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
  const definition = await builtInKind(kind)
  const { run_at: runAt, expires_at: expiresAt, ...rest } = members
  const options = toFilter({
    // As the client does: an enqueue whose answer was lost is then found again.
    idempotency_key: crypto.randomUUID(),
    ...rest,
  }) as JobOptions
  const enqueued = await queue.enqueue(definition, payload, {
    ...options,
    ...(runAt !== undefined && { runAt: new Date(runAt) }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    ...(onMismatch !== undefined && { onMismatch }),
  })
  const { conflict } = enqueued
  return {
    job: toWire(enqueued.job),
    replayed: enqueued.replayed,
    mismatch: enqueued.mismatched,
    ...(conflict !== undefined && conflict !== 'refused' && { conflict }),
  }
}

const memberOptions = {
  ...jobOptions,
  'run-at': instant('INSTANT', 'the earliest start'),
  delay: duration('DURATION', 'how long until the earliest start, such as 90s or 1h30m'),
  'expires-at': instant('INSTANT', 'cancel it if it has not begun by then'),
  'idempotency-key': text('KEY', 'one key makes one job, however often it is enqueued'),
  tenant: text('TENANT', 'whose job it is'),
} as const

const uniqueOptions = {
  'unique-key': text('KEY', 'one job of the kind and tenant holds this key at a time; with --unique-scope'),
  'unique-scope': choice(
    'SCOPE',
    ['waiting', 'live', 'window'],
    'until its first claim, until its end, or for the time of --unique-window',
  ),
  'unique-window': duration('DURATION', 'how long the key is held, with the scope window'),
  'unique-max-wait': duration(
    'DURATION',
    'how far reschedule moves the start at most, from the first enqueue',
  ),
  'on-conflict': choice(
    'POLICY',
    ['return', 'refuse', 'replace', 'reschedule'],
    'what becomes of a job that holds the key: it is shown (default), or this is refused, or it gets this payload and these options, or this start',
  ),
} as const

const options = {
  ...payloadOptions,
  ...memberOptions,
  ...uniqueOptions,
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
      line: `queue enqueue summarize_text --payload '{"text":"All of it."}' --unique-key report-7 --unique-scope live`,
      says: 'Unless a job of this key is there that has not ended',
    },
    {
      line: `echo '{"text":"A long story."}' | queue enqueue summarize_text --payload-file - --priority 1 --json`,
      says: 'From standard input, ahead of others',
    },
    {
      line: `queue enqueue summarize_text --payload '{"text":"A long story."}' --expires-in 10m --metadata '{"order_id":4711}'`,
      says: 'Of no use after ten minutes, and found by its order',
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
    const { replayed, mismatch, conflict } = enqueued
    const isKeyKnown = values['idempotency-key'] !== undefined && replayed
    if (isKeyKnown && !print.isJson) {
      print.note(
        `the idempotency key is known: this is the job that it made${mismatch ? ', by another request' : ''}`,
      )
    }
    if (conflict !== undefined && !print.isJson)
      print.note(`the unique key is held: this job was ${conflict}`)
    const job = values.wait
      ? await endOf(way, { id: enqueued.job.id, signal, timeoutMs: Infinity })
      : enqueued.job
    await (print.isJson
      ? print.json({ job, replayed, mismatch, ...(conflict && { conflict }) })
      : printJob({ print }, job))
    return values.wait ? exitCodeOf(job) : undefined
  },
})

function membersOf(values: ValuesOf<typeof options>): EnqueueOptions {
  const members = toMembers(filterOf(values, Object.keys(memberOptions)))
  const unique = uniqueOf(values)
  return {
    ...members,
    ...(unique !== undefined && { unique }),
    ...(values.strict && { onMismatch: 'reject' }),
  } as EnqueueOptions
}

/** The members of `unique` in the names of the API; what goes together is for the schema to say. */
function uniqueOf(values: ValuesOf<typeof options>): object | undefined {
  const members = {
    key: values['unique-key'],
    scope: values['unique-scope'],
    window_ms: values['unique-window'],
    max_wait_ms: values['unique-max-wait'],
    on_conflict: values['on-conflict'],
  }
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
