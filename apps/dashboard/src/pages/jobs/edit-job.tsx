import { ApiError, type EditJob, type EditedJob, type Job } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Done } from '../../acts/act.ts'
import { useActs } from '../../acts/acts.tsx'
import { client, readTaggedJob } from '../../api/client.ts'
import { parseExactJson } from '../../api/exact-json.ts'
import { useMay } from '../../shell/me.tsx'
import { Button, Field } from '../../ui/controls.tsx'
import { CopyCode } from '../../ui/copy-code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Form, SubmitButton } from '../../ui/form.tsx'
import { shortId } from '../../ui/format.ts'
import { TextArea } from '../../ui/text-area.tsx'
import ui from '../../ui/ui.module.css'

type FieldName = 'priority' | 'run_at' | 'max_attempts' | 'timeout_ms' | 'weight' | 'metadata' | 'payload'
/** The texts of the fields that the user has changed. */
type Texts = Readonly<Partial<Record<FieldName, string>>>
type Faults = Readonly<Record<string, string>>

/** A field of the form: its label, and the conversion between the job and its text. */
interface FormField {
  readonly label: string
  readonly hint?: string
  readonly show: (job: Job) => string
  readonly read: (text: string) => unknown
}

const formFields: Readonly<Record<FieldName, FormField>> = {
  priority: {
    label: 'Priority',
    hint: '0 is the highest priority.',
    show: ({ priority }) => String(priority),
    read: Number,
  },
  run_at: {
    label: 'Earliest start',
    hint: 'In local time. A past time means now.',
    show: ({ run_at: at }) => localText(new Date(at)),
    read: (text) => new Date(text).toISOString(),
  },
  max_attempts: {
    label: 'Maximum attempts',
    show: ({ max_attempts: max }) => String(max),
    read: Number,
  },
  timeout_ms: {
    label: 'Timeout in milliseconds',
    hint: 'Empty: the default of the kind or the worker.',
    show: ({ timeout_ms: timeout }) => (timeout === null ? '' : String(timeout)),
    read: (text) => (text === '' ? null : Number(text)),
  },
  weight: {
    label: 'Weight',
    hint: 'Rate limit tokens that a start uses.',
    show: ({ weight }) => String(weight),
    read: Number,
  },
  metadata: {
    label: 'Metadata as JSON',
    hint: 'Empty: no metadata.',
    show: ({ metadata }) => (metadata === null ? '' : JSON.stringify(metadata, null, 2)),
    read: (text) => (text.trim() === '' ? null : parseExactJson(text)),
  },
  payload: {
    label: 'Payload as JSON',
    show: ({ payload }) => JSON.stringify(payload, null, 2),
    read: (text) => parseExactJson(text),
  },
}

const inputs = {
  priority: { type: 'number', min: 0, max: 9 },
  run_at: { type: 'datetime-local', step: 1 },
  max_attempts: { type: 'number', min: 1 },
  timeout_ms: { type: 'number', min: 1 },
  weight: { type: 'number', min: 1 },
} as const

/** The format of a `datetime-local` input. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** Edits a waiting job. The input is kept if the job has changed since it was loaded. */
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
          <EditForm job={job} etag={etag} reload={() => void query.refetch()} close={close} />
        )}
      </Loaded>
    </Dialog>
  )
}

interface EditFormProps {
  readonly job: Job
  readonly etag: string
  readonly reload: () => void
  readonly close: () => void
}

function EditForm({ job, etag, reload, close }: EditFormProps) {
  const canReadPayload = useMay()('payload:read')
  const { report } = useActs()
  const [texts, setTexts] = useState<Texts>({})
  const [faults, setFaults] = useState<Faults>({})
  const names = (Object.keys(formFields) as FieldName[]).filter(
    (name) => canReadPayload || name !== 'payload',
  )
  const changes = changesOf(job, texts)
  const submit = async (): Promise<void> => {
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
    <Form className={ui['bare']} submit={submit}>
      {names.map((name) => (
        <EditField
          key={name}
          name={name}
          fault={faults[name]}
          value={texts[name] ?? formFields[name].show(job)}
          change={(text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
      <OtherFaults faults={faults} names={names} reload={reload} />
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
        <Button onClick={close}>Close</Button>
        <SubmitButton disabled={typeof changes === 'object' && Object.keys(changes).length === 0}>
          Save
        </SubmitButton>
      </div>
    </Form>
  )
}

interface EditFieldProps {
  readonly name: FieldName
  readonly value: string
  readonly fault: string | undefined
  readonly change: (text: string) => void
}

function EditField({ name, value, fault, change }: EditFieldProps) {
  const { label, hint } = formFields[name]
  const shared = { label, hint, fault, value }
  if (name === 'metadata' || name === 'payload') return <TextArea {...shared} change={change} />
  return <Field {...shared} {...inputs[name]} onChange={(event) => change(event.target.value)} />
}

interface OtherFaultsProps {
  readonly faults: Faults
  readonly names: readonly FieldName[]
  readonly reload: () => void
}

/** Error messages that belong to no field. */
function OtherFaults({ faults, names, reload }: OtherFaultsProps) {
  const others = Object.entries(faults).filter(([path]) => !names.some((name) => name === path))
  if (others.length === 0) return null
  return (
    <div role="alert" className={ui['fault']}>
      {others.map(([path, text]) => (
        <p key={path}>{path === '' ? text : `${path}: ${text}`}</p>
      ))}
      <Button onClick={reload}>Reload the job and keep my changes</Button>
    </div>
  )
}

/** The changed members, or an error message if a text cannot be parsed. */
function changesOf(job: Job, texts: Texts): EditJob | string {
  try {
    const touched = (Object.entries(texts) as [FieldName, string][]).filter(
      ([name, text]) => text !== formFields[name].show(job),
    )
    return Object.fromEntries(touched.map(([name, text]) => [name, formFields[name].read(text)]))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function faultsOf(error: unknown): Faults {
  if (!(error instanceof ApiError)) return { '': String(error) }
  if (error.status === 409) return { '': 'The job can no longer be edited: it has started or ended.' }
  if (error.status === 412) return { '': 'The job has changed since you opened this form.' }
  if (error.issues.length === 0) return { '': error.detail }
  return Object.fromEntries(error.issues.map(({ path, message }) => [path.split('/')[1] ?? '', message]))
}

function doneOf({ job, previous }: EditedJob): Done {
  const { kind_version: version, payload, ...rest } = previous
  const previousValues = { ...rest, ...(version !== undefined && { payload, version }) }
  return {
    text: `Job …${shortId(job.id)} edited.`,
    undo: {
      doing: `Undoing the edit of job …${shortId(job.id)}`,
      run: async () => {
        const current = await readTaggedJob(job.id)
        if (current.job.updated_at !== job.updated_at) {
          return { text: `Job …${shortId(job.id)} has changed since, and was left as it is.`, failed: true }
        }
        await client.edit(job.id, previousValues, { ifMatch: current.etag })
        return { text: `Edit of job …${shortId(job.id)} undone.` }
      },
    },
  }
}
