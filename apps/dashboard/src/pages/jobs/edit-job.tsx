import { ApiError, type EditJob, type EditedJob, type Job } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Done } from '../../acts/act.ts'
import { useActs } from '../../acts/acts.tsx'
import { client, readTaggedJob } from '../../api/client.ts'
import { useMay } from '../../shell/me.tsx'
import { Button, Field } from '../../ui/controls.tsx'
import { CopyCode } from '../../ui/copy-code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Form, SubmitButton } from '../../ui/form.tsx'
import { shortId } from '../../ui/format.ts'
import { TextArea } from '../../ui/text-area.tsx'
import ui from '../../ui/ui.module.css'
import { optionsWith } from './job-options.ts'

/** The texts of the fields that the user has changed. */
type Texts = Readonly<Record<string, string>>
type Faults = Readonly<Record<string, string>>

const fields = optionsWith('edit')

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
  const shownFields = fields.filter(({ name }) => canReadPayload || name !== 'payload')
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
      {shownFields.map((field) => (
        <EditField
          key={field.name}
          field={field}
          fault={faults[field.name]}
          value={texts[field.name] ?? field.edit.show(job)}
          change={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      <OtherFaults faults={faults} names={shownFields.map(({ name }) => name)} reload={reload} />
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
  readonly field: (typeof fields)[number]
  readonly value: string
  readonly fault: string | undefined
  readonly change: (text: string) => void
}

function EditField({ field: { label, input, edit }, value, fault, change }: EditFieldProps) {
  const shared = { label, hint: edit.hint, fault, value }
  if (input === 'json') return <TextArea {...shared} change={change} />
  return <Field {...shared} {...input} onChange={(event) => change(event.target.value)} />
}

interface OtherFaultsProps {
  readonly faults: Faults
  readonly names: readonly string[]
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
    const touched = fields.flatMap(({ name, edit, read }) => {
      const text = texts[name]
      return text === undefined || text === edit.show(job) ? [] : [[name, read(text)]]
    })
    return Object.fromEntries(touched)
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
