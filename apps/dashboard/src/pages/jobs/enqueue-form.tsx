import { ApiError } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { client } from '../../api/client.ts'
import { parseExactJson } from '../../api/exact-json.ts'
import { Button, Field, FieldNote } from '../../ui/controls.tsx'
import { formText } from '../../ui/form-text.ts'
import { Form, SubmitButton } from '../../ui/form.tsx'
import { shortId } from '../../ui/format.ts'
import { TextArea } from '../../ui/text-area.tsx'
import ui from '../../ui/ui.module.css'
import styles from '../kinds/kinds.module.css'
import { optionsWith } from './job-options.ts'
import { PayloadField } from './payload-field.tsx'
import { type FieldTexts, fieldsOf, payloadOf, textsOf } from './schema-fields.ts'

interface EnqueueFormProps {
  readonly kind: string
  readonly schema: Readonly<Record<string, unknown>>
}

type Faults = Readonly<Record<string, string>>

const alreadyEnqueued =
  'A job was already enqueued before your last changes. Enqueue again to make another one.'

/** Whether an earlier submission has made a job, of which the reply was lost, with other values. */
function isMismatch(error: unknown): boolean {
  return error instanceof ApiError && error.error === 'idempotency_mismatch'
}

/** Error messages by the path of the member; '' is the whole request. */
function faultsOf(error: unknown): Faults {
  if (isMismatch(error)) return { '': alreadyEnqueued }
  if (error instanceof ApiError && error.issues.length > 0) {
    return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
  }
  if (error instanceof ApiError) return { '': error.detail }
  return { '': error instanceof Error ? error.message : String(error) }
}

/**
 * The idempotency key of a form that makes one job, however often it is submitted: a double click is slower than many a
 * response. A change of the form after its job makes it a new form.
 */
function useKey() {
  const [{ key, isUsed }, setKey] = useState(newKey)
  return {
    key,
    isUsed,
    use: () => setKey({ key, isUsed: true }),
    renew: () => setKey(newKey()),
  }
}

function newKey() {
  return { key: crypto.randomUUID(), isUsed: false }
}

const options = optionsWith('enqueue')

/** The options whose fields have a text. */
function optionsOf(form: HTMLFormElement): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    options.flatMap(({ name, read }) => {
      const text = formText(form, name)
      return text === '' ? [] : [[name, read(text)]]
    }),
  )
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
  const { key, isUsed, use, renew } = useKey()
  const read = (): unknown => (json === undefined ? payloadOf(fields ?? [], texts) : parseExactJson(json))
  const submit = async (form: HTMLFormElement): Promise<void> => {
    try {
      const { job } = await client.enqueue(kind, read(), {
        idempotency_key: key,
        onMismatch: 'reject',
        ...optionsOf(form),
      })
      use()
      setFaults({})
      setJobId(job.id)
      await report({ text: `Job …${shortId(job.id)} enqueued.` })
    } catch (error) {
      if (isMismatch(error)) renew()
      setFaults(faultsOf(error))
    }
  }
  /** Shows an error if the other view cannot show the payload. */
  const switchView = (change: () => void): void => {
    try {
      change()
      setFaults({})
    } catch (error) {
      setFaults(faultsOf(error))
    }
  }
  const toJson = (): void => switchView(() => setJson(JSON.stringify(read(), null, 2)))
  const toForm = (): void =>
    switchView(() => {
      setTexts(textsOf(fields ?? [], json ?? '{}'))
      setJson(undefined)
    })
  return (
    <Form className={styles['form']} submit={submit} onChange={isUsed ? renew : undefined}>
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
      {options.map(({ name, label, input, enqueue }) => (
        <Field
          key={name}
          label={label}
          name={name}
          {...(input === 'json' ? {} : input)}
          hint={enqueue.hint}
          fault={faults[`/${name}`]}
        />
      ))}
      <OtherFaults
        faults={faults}
        fieldPaths={[
          ...options.map(({ name }) => `/${name}`),
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
          <Button look="quiet" onClick={json === undefined ? toJson : toForm}>
            {json === undefined ? 'Edit as JSON' : 'Back to the form'}
          </Button>
        )}
        {isUsed && (
          <Button look="quiet" onClick={renew}>
            Another job
          </Button>
        )}
        <SubmitButton disabled={isUsed}>Enqueue</SubmitButton>
      </div>
    </Form>
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
