import { limits } from '@queue/core'
import { jobFields } from '@queue/core/runtime'
import {
  bindAddress,
  defineVariable,
  durationMs,
  integer,
  optionalOnOff,
  type ParsedText,
} from '@queue/service'
import { bindAddressDefault } from './bind-address-default.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** The loop is looked at a few times a second; a shorter stall would be none. */
const stallMsMin = 2_000

/** How a worker process works: the environment variables whose names begin with WORKER_. */
export const workerVariables = {
  WORKER_CONCURRENCY: integer({
    description: 'How many jobs this process runs at once.',
    default: 4,
    min: 1,
    max: 1_000,
  }),
  WORKER_QUEUES: defineVariable<readonly string[]>({
    description: 'The queues that this process takes jobs from.',
    accepted: `names of queues, at most ${limits.workerQueuesMax}, separated by commas, such as default,mail`,
    unset: { value: ['default'], shown: 'default' },
    parse: parseQueues,
  }),
  WORKER_POLL_INTERVAL_MS: durationMs({
    description:
      'How long to wait before asking again after no job was found. The wait doubles while it stays so.',
    default: 500,
    min: 10,
    max: hourMs,
  }),
  WORKER_MAX_POLL_INTERVAL_MS: durationMs({
    description: 'The longest wait between two questions; at least WORKER_POLL_INTERVAL_MS.',
    default: 2_000,
    min: 10,
    max: hourMs,
  }),
  WORKER_NOTIFY: optionalOnOff({
    description:
      'Whether a connection listens for new jobs; off only polls, and is what holds with DATABASE_POOLER=transaction.',
    shown: 'on',
  }),
  WORKER_PREFETCH: defineVariable<'auto' | number>({
    description:
      'How many jobs are claimed before there is room for them; auto: some where jobs take a few ms, none otherwise.',
    accepted: `auto, or a whole number from 0 to ${limits.claimBatchMax}`,
    unset: { value: 'auto', shown: 'auto' },
    parse: parsePrefetch,
  }),
  WORKER_SHUTDOWN_GRACE_MS: durationMs({
    description:
      'How long running jobs may go on after SIGTERM before they are told to stop and are released.',
    default: 30_000,
    min: 0,
    max: dayMs,
  }),
  WORKER_LEASE_MS: durationMs({
    description: 'How long this process may be silent before others take over its jobs.',
    default: 30_000,
    min: limits.leaseMsMin,
    max: hourMs,
  }),
  WORKER_HEARTBEAT_MS: durationMs({
    description: 'How often the lease is renewed; at most a third of WORKER_LEASE_MS.',
    default: 10_000,
    min: 100,
    max: hourMs,
  }),
  WORKER_RECOVERY_INTERVAL_MS: durationMs({
    description: 'How often jobs of lost workers are looked for.',
    default: 5_000,
    min: 100,
    max: hourMs,
  }),
  WORKER_STALL_MS: durationMs({
    description:
      'How long a handler may block the event loop before the process is killed, so that others take over; 0 means for ever.',
    default: 300_000,
    min: stallMsMin,
    max: dayMs,
    zero: 'accepted',
  }),
  WORKER_JOB_TIMEOUT_MS: durationMs({
    description: 'How long an attempt may take when neither its job nor its kind says; 0 means no limit.',
    default: 0,
    min: 0,
    max: limits.timeoutMsMax,
  }),
  WORKER_ID_PREFIX: defineVariable({
    description: 'What the id of this worker begins with; host name, process id and a random part follow.',
    accepted: 'letters, digits and . _ -, at most 63 of them, the first no sign',
    unset: { value: 'worker', shown: 'worker' },
    parse: parseIdPrefix,
  }),
  WORKER_METRICS_BIND_ADDR: bindAddress({
    description: 'Where /livez, /readyz, /health and /metrics are served.',
    default: bindAddressDefault,
  }),
}

function parsePrefetch(text: string): ParsedText<'auto' | number> {
  if (text.toLowerCase() === 'auto') return { value: 'auto' }
  if (!/^\d+$/.test(text)) return { fault: 'is neither auto nor a whole number' }
  return Number(text) > limits.claimBatchMax ? { fault: 'is too large' } : { value: Number(text) }
}

function parseQueues(text: string): ParsedText<readonly string[]> {
  const names = text.split(',').map((name) => name.trim())
  const bad = names.find((name) => !jobFields.queue.safeParse(name).success)
  if (bad !== undefined) {
    return {
      fault: `names the queue ${JSON.stringify(bad)}, which is no name (a-z 0-9 _ . -, at most 63 characters)`,
    }
  }
  if (names.length > limits.workerQueuesMax) {
    return { fault: `names ${names.length} queues, and one process serves ${limits.workerQueuesMax} at most` }
  }
  return new Set(names).size === names.length ? { value: names } : { fault: 'names a queue twice' }
}

function parseIdPrefix(text: string): ParsedText<string> {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text) ? { value: text } : { fault: 'is not such a prefix' }
}
