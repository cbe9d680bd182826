// The options of a job in the dashboard, each one row: its label and input, and where it occurs.
import type { EditJob, Job } from '@queue/client'
import { parseExactJson } from '../../api/exact-json.ts'

type EditedName = keyof Omit<EditJob, 'version'>
type OptionName = EditedName | 'queue'

/** The attributes of a text field, or a larger field for JSON. */
type Input =
  | 'json'
  | Readonly<{ type: 'text' | 'number' | 'datetime-local'; min?: number; max?: number; step?: number }>

interface JobOption {
  readonly label: string
  readonly input: Input
  /** Reads the value from the text of its field. */
  readonly read: (text: string) => unknown
  /** A field of the form that enqueues. Without a text, the option is not sent. */
  readonly enqueue?: { readonly hint: string }
  /** A field of the form that edits, with the text for the value of a job. */
  readonly edit?: { readonly hint?: string; readonly show: (job: Job) => string }
  /** The value among the details of a job, for a value that needs no form of its own. Null hides it. */
  readonly fact?: (job: Job) => string | number | null
  /** A column of the list of jobs. */
  readonly column?: (job: Job) => string | number | null
}

const jobOptions: Readonly<Record<OptionName, JobOption>> = {
  queue: {
    label: 'Queue',
    input: { type: 'text' },
    read: (text) => text,
    enqueue: { hint: 'Empty: the default queue of the kind.' },
  },
  priority: {
    label: 'Priority',
    input: { type: 'number', min: 0, max: 9 },
    read: Number,
    edit: { hint: '0 is the highest priority.', show: ({ priority }) => String(priority) },
    column: ({ priority }) => priority,
  },
  run_at: {
    label: 'Earliest start',
    input: { type: 'datetime-local', step: 1 },
    read: (text) => new Date(text).toISOString(),
    edit: {
      hint: 'In local time. A past time means now.',
      show: ({ run_at: at }) => localText(new Date(at)),
    },
  },
  max_attempts: {
    label: 'Maximum attempts',
    input: { type: 'number', min: 1 },
    read: Number,
    edit: { show: ({ max_attempts: max }) => String(max) },
  },
  timeout_ms: {
    label: 'Timeout in milliseconds',
    input: { type: 'number', min: 1 },
    read: (text) => (text === '' ? null : Number(text)),
    edit: {
      hint: 'Empty: the default of the kind or the worker.',
      show: ({ timeout_ms: timeout }) => (timeout === null ? '' : String(timeout)),
    },
  },
  weight: {
    label: 'Weight',
    input: { type: 'number', min: 1 },
    read: Number,
    enqueue: { hint: 'Rate limit tokens that a start uses. Empty: 1.' },
    edit: { hint: 'Rate limit tokens that a start uses.', show: ({ weight }) => String(weight) },
    fact: ({ weight }) => (weight === 1 ? null : weight),
    column: ({ weight }) => weight,
  },
  metadata: {
    label: 'Metadata as JSON',
    input: 'json',
    read: (text) => (text.trim() === '' ? null : parseExactJson(text)),
    edit: {
      hint: 'Empty: no metadata.',
      show: ({ metadata }) => (metadata === null ? '' : JSON.stringify(metadata, null, 2)),
    },
  },
  payload: {
    label: 'Payload as JSON',
    input: 'json',
    read: (text) => parseExactJson(text),
    edit: { show: ({ payload }) => JSON.stringify(payload, null, 2) },
  },
}

/** The format of a `datetime-local` input. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The options that occur in a place, with what their rows say of it. */
export function optionsWith<Place extends 'enqueue' | 'edit' | 'fact' | 'column'>(place: Place) {
  return Object.entries(jobOptions).flatMap(([name, option]) => {
    const { [place]: here } = option
    return here === undefined ? [] : [{ name, ...option, [place]: here }]
  }) as unknown as readonly (JobOption & Required<Pick<JobOption, Place>> & { readonly name: string })[]
}
