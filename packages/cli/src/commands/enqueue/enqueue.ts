import type { Enqueued, EnqueueOptions } from '@queue/client'
import { choice, duration, flag, text, timestamp, usageFailure, type ValuesOf } from '@queue/commands'
import type { Queue } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { builtInKind } from '../kinds/built-in-kind.ts'
import { jobOptions, toMembers } from './job-options.ts'
import { exitCodeOf, filterOf, printJob } from '../reads/jobs.ts'
import { payloadOf, payloadOptions } from './payload.ts'
import { endOf } from '../reads/wait-for-job.ts'

interface NewJob {
  readonly kind: string
  readonly payload: unknown
  /** In the names of the API. */
  readonly options: EnqueueOptions
}

const enqueueJob = backendCall<NewJob, Promise<Enqueued>>({
  api: (client, { kind, payload, options }) => client.enqueue(kind, payload, options),
  database: (queue, job) => enqueueInDatabase(queue, job),
})

async function enqueueInDatabase(
  queue: Queue,
  { kind, payload, options: { onMismatch, ...members } }: NewJob,
): Promise<Enqueued> {
  const { createJobSchema, decodeMembers, checkDocument } = await import('@queue/core/internal')
  const document = checkDocument(createJobSchema, { kind, payload, ...members }, 'invalid_job')
  const enqueued = await queue.enqueue(await builtInKind(kind), document.payload, {
    // As in the client, so that an enqueue whose reply was lost is found again.
    idempotencyKey: crypto.randomUUID(),
    ...decodeMembers<'enqueue'>(document),
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
  'run-at': timestamp('TIME', 'earliest start'),
  delay: duration('DURATION', 'delay until the earliest start, such as 90s or 1h30m'),
  'expires-at': timestamp('TIME', 'expiry: the job is cancelled if it has not started by this time'),
  'idempotency-key': text('KEY', 'makes the command safe to repeat: a key creates one job'),
  tenant: text('TENANT', 'tenant of the job'),
} as const

const uniqueOptions = {
  'unique-key': text(
    'KEY',
    'unique key: one job of the kind and tenant holds it at a time; needs --unique-scope',
  ),
  'unique-scope': choice(
    'SCOPE',
    ['waiting', 'live', 'window'],
    'how long the job holds the unique key: until its first claim, until it has ended, or for --unique-window',
  ),
  'unique-window': duration('DURATION', 'how long the unique key is held; needs the scope window'),
  'unique-max-wait': duration(
    'DURATION',
    'latest start that a conflict of the policy reschedule can set, from the enqueue of the job that holds the key',
  ),
  'on-conflict': choice(
    'POLICY',
    ['return', 'refuse', 'replace', 'reschedule'],

    'what happens if another job holds the unique key: it is shown (default), the command fails, it gets this ' +
      'payload and these options, or it gets this start',
  ),
} as const

const options = {
  ...payloadOptions,
  ...memberOptions,
  ...uniqueOptions,
  strict: flag('refuse a known idempotency key with a different kind, queue or payload'),
  wait: flag('wait until the job has ended; the exit codes are those of queue wait'),
} as const

export const enqueue = defineCommand({
  name: 'enqueue',
  summary: 'enqueue a job and show it',
  description:
    'The job is committed before it is shown. Other users of the machine can see a payload on the command line: pass ' +
    'secrets with --payload-file.',
  arguments: [{ name: 'KIND' }],
  options,
  examples: [
    {
      line: `queue enqueue summarize_text --payload '{"text":"A long story."}'`,
      description: 'Enqueue a job',
    },
    {
      line: `queue enqueue send_email --payload-file welcome.json --delay 5m --idempotency-key welcome-ada`,
      description: 'Enqueue a job in five minutes, only once however often this runs',
    },
    {
      line: `queue enqueue summarize_text --payload '{"text":"All of it."}' --unique-key report-7 --unique-scope live`,
      description: 'Enqueue a job unless another one with this unique key has not ended',
    },
    {
      line: `echo '{"text":"A long story."}' | queue enqueue summarize_text --payload-file - --priority 1 --json`,
      description: 'Read the payload from standard input, and start before others',
    },
    {
      line: `queue enqueue summarize_text --payload '{"text":"A long story."}' --expires-in 10m --metadata '{"order_id":4711}'`,
      description: 'Expire after ten minutes, and be found by the order id',
    },
  ],
  async run(context) {
    const {
      args: [kind = ''],
      values,
      connect,
      print,
      signal,
    } = context
    if (values['run-at'] !== undefined && values.delay !== undefined) {
      throw usageFailure('--run-at and --delay cannot be combined', 'give one of them')
    }
    const payload = await payloadOf(context)
    const backend = await connect()
    const enqueued = await enqueueJob(backend, { kind, payload, options: membersOf(values) })
    const { replayed, mismatch, conflict } = enqueued
    const isKeyKnown = values['idempotency-key'] !== undefined && replayed
    if (isKeyKnown && !print.isJson) {
      print.note(
        'the idempotency key already exists: this is the job that it ' +
          `created${mismatch ? ', with a different kind, queue or payload' : ''}`,
      )
    }
    if (conflict !== undefined && !print.isJson)
      print.note(`another job holds the unique key: it was ${conflict}`)
    const job = values.wait
      ? await endOf(backend, { id: enqueued.job.id, signal, timeoutMs: Infinity })
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

/** The members of `unique` in the names of the API. The schema validates their combination. */
function uniqueOf(values: ValuesOf<typeof options>): object | undefined {
  const members = {
    key: values['unique-key'],
    scope: values['unique-scope'],
    window_ms: values['unique-window'],
    max_wait_ms: values['unique-max-wait'],
    on_conflict: values['on-conflict'],
  }
  const present = Object.entries(members).filter(([, value]) => value !== undefined)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}
