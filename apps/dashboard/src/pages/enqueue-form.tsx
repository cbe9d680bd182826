import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useMemo, useState } from 'react'
import { ApiError } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { client } from '../api/client.ts'
import { Button, Field, FieldNote } from '../ui/controls.tsx'
import { formText } from '../ui/form-text.ts'
import { shortId } from '../ui/format.ts'
import { TextArea } from '../ui/text-area.tsx'
import ui from '../ui/ui.module.css'
import { type FieldTexts, fieldsOf, payloadOf } from './schema-fields.ts'
import { PayloadField } from './payload-field.tsx'
import styles from './kinds.module.css'

interface EnqueueFormProps {
  readonly kind: string
  readonly schema: Readonly<Record<string, unknown>>
}

type Faults = Readonly<Record<string, string>>

/** Error messages by the path of the member; '' is the whole request. */
function faultsOf(error: unknown): Faults {
  if (error instanceof ApiError && error.issues.length > 0) {
    return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
  }
  return { '': error instanceof ApiError ? error.detail : String(error) }
}

/** Enqueues a job of a kind, by a form generated from its schema, or as JSON. The API validates both. */
export function EnqueueForm({ kind, schema }: EnqueueFormProps) {
  const { report } = useActs()
  const fields = useMemo(() => fieldsOf(schema), [schema])
  const [texts, setTexts] = useState<FieldTexts>(() =>
    Object.fromEntries((fields ?? []).map(({ name, initial }) => [name, initial])),
  )
  const [json, setJson] = useState<string | undefined>(fields === undefined ? '{}' : undefined)
  const [faults, setFaults] = useState<Faults>({})
  const [jobId, setJobId] = useState<string>()
  const read = (): unknown => (json === undefined ? payloadOf(fields ?? [], texts) : JSON.parse(json))
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const queue = formText(event.currentTarget, 'queue')
    const weight = formText(event.currentTarget, 'weight')
    try {
      const { job } = await client.enqueue(kind, read(), {
        ...(queue !== '' && { queue }),
        ...(weight !== '' && { weight: Number(weight) }),
      })
      setFaults({})
      setJobId(job.id)
      await report({ text: `Job …${shortId(job.id)} enqueued.` })
    } catch (error) {
      setFaults(faultsOf(error))
    }
  }
  const toJson = (): void => {
    try {
      setJson(JSON.stringify(read(), null, 2))
    } catch (error) {
      setFaults(faultsOf(error))
    }
  }
  return (
    <form method="post" className={styles['form']} noValidate onSubmit={(event) => void submit(event)}>
      {json === undefined ? (
        fields?.map((field) => (
          <PayloadField
            key={field.name}
            field={field}
            value={texts[field.name] ?? ''}
            fault={faults[`/payload/${field.name}`]}
            change={(value) => setTexts({ ...texts, [field.name]: value })}
          />
        ))
      ) : (
        <TextArea label="Payload as JSON" value={json} change={setJson} />
      )}
      <Field
        label="Queue"
        name="queue"
        hint="Empty: the default queue of the kind."
        fault={faults['/queue']}
      />
      <Field
        label="Weight"
        name="weight"
        type="number"
        min={1}
        hint="Rate limit tokens that a start uses. Empty: 1."
        fault={faults['/weight']}
      />
      <OtherFaults
        faults={faults}
        fieldPaths={[
          '/queue',
          '/weight',
          ...(json === undefined ? (fields ?? []).map(({ name }) => `/payload/${name}`) : []),
        ]}
      />
      <div className={ui['actions']}>
        {jobId !== undefined && (
          <Link to="/jobs/$id" params={{ id: jobId }}>
            Job …{shortId(jobId)}
          </Link>
        )}
        {fields !== undefined && (
          <Button look="quiet" onClick={json === undefined ? toJson : () => setJson(undefined)}>
            {json === undefined ? 'Edit as JSON' : 'Back to the form'}
          </Button>
        )}
        <Button type="submit" look="primary">
          Enqueue
        </Button>
      </div>
    </form>
  )
}

/** Error messages that belong to no field. */
function OtherFaults({
  faults,
  fieldPaths,
}: {
  readonly faults: Faults
  readonly fieldPaths: readonly string[]
}) {
  const others = Object.entries(faults).filter(([path]) => !fieldPaths.includes(path))
  if (others.length === 0) return null
  return (
    <div role="alert">
      {others.map(([path, message]) => (
        <FieldNote
          key={path}
          id={`fault${path}`}
          hint={undefined}
          fault={path === '' ? message : `${path}: ${message}`}
        />
      ))}
    </div>
  )
}
