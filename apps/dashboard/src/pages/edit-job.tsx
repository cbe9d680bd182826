import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ApiError, type EditJob, type EditedJob, type Job } from '@queue/client'
import type { Done } from '../acts/act.ts'
import { useActs } from '../acts/acts.tsx'
import { client, readTaggedJob } from '../api/client.ts'
import { useMay } from '../shell/me.tsx'
import { Button, Field } from '../ui/controls.tsx'
import { CopyCode } from '../ui/copy-code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { shortId } from '../ui/format.ts'
import { TextArea } from '../ui/text-area.tsx'
import ui from '../ui/ui.module.css'

type FieldName = 'priority' | 'run_at' | 'max_attempts' | 'timeout_ms' | 'weight' | 'metadata' | 'payload'
/** What somebody has written, of the fields that they have touched. */
type Texts = Readonly<Partial<Record<FieldName, string>>>
type Faults = Readonly<Record<string, string>>

/** A field of the form: how it is shown, and what its text means to the API. */
interface Shape {
  readonly label: string
  readonly hint?: string
  readonly show: (job: Job) => string
  readonly read: (text: string) => unknown
}

const shapes: Readonly<Record<FieldName, Shape>> = {
  priority: {
    label: 'Priority',
    hint: '0 is first.',
    show: ({ priority }) => String(priority),
    read: Number,
  },
  run_at: {
    label: 'Not before',
    hint: 'In your own zone. A past time is as good as now.',
    show: ({ run_at: at }) => localText(new Date(at)),
    read: (text) => new Date(text).toISOString(),
  },
  max_attempts: {
    label: 'Attempts at most',
    show: ({ max_attempts: max }) => String(max),
    read: Number,
  },
  timeout_ms: {
    label: 'Timeout in milliseconds',
    hint: 'Empty: what its kind or the worker says.',
    show: ({ timeout_ms: timeout }) => (timeout === null ? '' : String(timeout)),
    read: (text) => (text === '' ? null : Number(text)),
  },
  weight: {
    label: 'Weight',
    hint: 'How many tokens its start costs, of each rate.',
    show: ({ weight }) => String(weight),
    read: Number,
  },
  metadata: {
    label: 'Metadata as JSON',
    hint: 'Empty: none.',
    show: ({ metadata }) => (metadata === null ? '' : JSON.stringify(metadata, null, 2)),
    read: (text) => (text.trim() === '' ? null : JSON.parse(text)),
  },
  payload: {
    label: 'Payload as JSON',
    show: ({ payload }) => JSON.stringify(payload, null, 2),
    read: (text) => JSON.parse(text) as unknown,
  },
}

const inputs = {
  priority: { type: 'number', min: 0, max: 9 },
  run_at: { type: 'datetime-local', step: 1 },
  max_attempts: { type: 'number', min: 1 },
  timeout_ms: { type: 'number', min: 1 },
  weight: { type: 'number', min: 1 },
} as const

/** As a field for a day and a time takes it. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** Changes a job that waits. What is written is kept when the job has changed meanwhile. */
export function EditJobSheet({ id, close }: { readonly id: string; readonly close: () => void }) {
  const query = useQuery({
    queryKey: ['tagged', id],
    queryFn: ({ signal }) => readTaggedJob(id, signal),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return (
    <Dialog title={`Edit job …${shortId(id)}`} close={close}>
      <Loaded query={query}>
        {({ job, etag }) => (
          <EditForm job={job} etag={etag} readAgain={() => void query.refetch()} close={close} />
        )}
      </Loaded>
    </Dialog>
  )
}

interface EditFormProps {
  readonly job: Job
  readonly etag: string
  readonly readAgain: () => void
  readonly close: () => void
}

function EditForm({ job, etag, readAgain, close }: EditFormProps) {
  const maySee = useMay()('payload:read')
  const { report } = useActs()
  const [texts, setTexts] = useState<Texts>({})
  const [faults, setFaults] = useState<Faults>({})
  const names = (Object.keys(shapes) as FieldName[]).filter((name) => maySee || name !== 'payload')
  const changes = changesOf(job, texts)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (typeof changes === 'string') return setFaults({ '': changes })
    try {
      const edited = await client.edit(job.id, changes, { ifMatch: etag })
      close()
      await report(doneOf(edited))
    } catch (error) {
      setFaults(faultsOf(error))
    }
  }
  return (
    <form method="post" className={ui['bare']} noValidate onSubmit={(event) => void submit(event)}>
      {names.map((name) => (
        <EditField
          key={name}
          name={name}
          fault={faults[name]}
          value={texts[name] ?? shapes[name].show(job)}
          change={(text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
      <OtherFaults faults={faults} names={names} readAgain={readAgain} />
      {typeof changes === 'object' && (
        <CopyCode
          code={{
            method: 'PATCH',
            path: `/jobs/${job.id}`,
            body: changes,
            ifMatch: '*',
            typescript: `await client.edit('${job.id}', ${JSON.stringify(changes)})`,
          }}
        />
      )}
      <div className={ui['actions']}>
        <Button onClick={close}>Keep as it is</Button>
        <Button
          type="submit"
          look="primary"
          disabled={typeof changes === 'object' && Object.keys(changes).length === 0}
        >
          Save
        </Button>
      </div>
    </form>
  )
}

interface EditFieldProps {
  readonly name: FieldName
  readonly value: string
  readonly fault: string | undefined
  readonly change: (text: string) => void
}

function EditField({ name, value, fault, change }: EditFieldProps) {
  const { label, hint } = shapes[name]
  const shared = { label, hint, fault, value }
  if (name === 'metadata' || name === 'payload') return <TextArea {...shared} change={change} />
  return <Field {...shared} {...inputs[name]} onChange={(event) => change(event.target.value)} />
}

interface OtherFaultsProps {
  readonly faults: Faults
  readonly names: readonly FieldName[]
  readonly readAgain: () => void
}

/** What is wrong beside the fields. */
function OtherFaults({ faults, names, readAgain }: OtherFaultsProps) {
  const others = Object.entries(faults).filter(([path]) => !names.some((name) => name === path))
  if (others.length === 0) return null
  return (
    <div role="alert" className={ui['fault']}>
      {others.map(([path, text]) => (
        <p key={path}>{path === '' ? text : `${path}: ${text}`}</p>
      ))}
      <Button onClick={readAgain}>Read it again, and keep what I wrote</Button>
    </div>
  )
}

/** What differs from the job; a text where something cannot be read. */
function changesOf(job: Job, texts: Texts): EditJob | string {
  try {
    const touched = (Object.entries(texts) as [FieldName, string][]).filter(
      ([name, text]) => text !== shapes[name].show(job),
    )
    return Object.fromEntries(touched.map(([name, text]) => [name, shapes[name].read(text)]))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function faultsOf(error: unknown): Faults {
  if (!(error instanceof ApiError)) return { '': String(error) }
  if (error.status === 409) return { '': 'It does not wait any more: it has started, or has ended.' }
  if (error.status === 412) return { '': 'It has changed since you opened this.' }
  if (error.issues.length === 0) return { '': error.detail }
  return Object.fromEntries(error.issues.map(({ path, message }) => [path.split('/')[1] ?? '', message]))
}

function doneOf({ job, previous }: EditedJob): Done {
  const { kind_version: version, payload, ...rest } = previous
  const back = { ...rest, ...(version !== undefined && { payload, version }) }
  return {
    text: `Job …${shortId(job.id)} is changed.`,
    undo: {
      doing: `Taking back the edit of job …${shortId(job.id)}`,
      run: async () => {
        await client.edit(job.id, back)
        return { text: `Job …${shortId(job.id)} is as it was.` }
      },
    },
  }
}
