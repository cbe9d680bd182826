import { type SubmitEvent, useId, useState } from 'react'
import { ApiError, type Limit, type SetLimit } from '@queue/client'
import type { Done } from '../acts/act.ts'
import { useActs } from '../acts/acts.tsx'
import { aboutLimit, codeOfSet, setLimit } from '../acts/limit-acts.ts'
import { Button, Field } from '../ui/controls.tsx'
import { CopyCode } from '../ui/copy-code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import ui from '../ui/ui.module.css'

interface LimitFormProps {
  /** The queue that is proposed for a new one. */
  readonly queue: string | undefined
  /** The limit that is changed; absent: a new one. */
  readonly limit: Limit | undefined
  readonly close: () => void
}

type Scope = Limit['scope']
type Order = 'none' | 'block' | 'continue'

interface Texts {
  readonly queue: string
  readonly scope: Scope
  readonly name: string
  readonly maxRunning: string
  readonly count: string
  readonly perSeconds: string
  readonly burst: string
  readonly order: Order
  readonly state: keyof typeof states
}

const states = { open: 'its jobs may start', paused: 'paused: none of its jobs starts' } as const

const scopes = {
  queue: 'all jobs of the queue',
  kind: 'the jobs of a kind',
  key: 'the jobs of one key',
  each_key: 'each key by itself',
} as const satisfies Record<Scope, string>

const orders = {
  none: 'in any order',
  block: 'one after the other; a retry blocks',
  continue: 'one after the other; others go past a retry',
} as const satisfies Record<Order, string>

function textsOf(limit: Limit | undefined, queue = 'default'): Texts {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : String(value)
  return {
    queue: limit?.queue ?? queue,
    scope: limit?.scope ?? 'queue',
    name: limit?.name ?? '',
    maxRunning: text(limit?.max_running),
    count: text(limit?.rate?.count),
    perSeconds: text(limit?.rate === null || limit === undefined ? null : limit.rate.per_ms / 1_000),
    burst: text(limit?.rate?.burst),
    order: limit?.ordered?.on_retry ?? 'none',
    state: (limit?.paused_at ?? null) === null ? 'open' : 'paused',
  }
}

/** What is empty limits nothing. */
function ruleOf(texts: Texts): SetLimit {
  const { scope, name, maxRunning, count, perSeconds, burst, order } = texts
  return {
    queue: texts.queue,
    scope,
    ...((scope === 'kind' || scope === 'key') && { name }),
    ...(maxRunning !== '' && { max_running: Number(maxRunning) }),
    ...(count !== '' && {
      rate: { count: Number(count), per_ms: Number(perSeconds) * 1_000, burst: Number(burst) },
    }),
    ...(scope === 'each_key' && order !== 'none' && { ordered: { on_retry: order } }),
    ...(scope !== 'each_key' && texts.state === 'paused' && { paused: true }),
  }
}

/** Sets a limit, in the place of what holds now. */
export function LimitForm({ queue, limit, close }: LimitFormProps) {
  const { perform } = useActs()
  const [texts, setTexts] = useState(() => textsOf(limit, queue))
  const [fault, setFault] = useState<string>()
  const rule = ruleOf(texts)
  const change = (name: keyof Texts) => (event: { readonly target: { readonly value: string } }) =>
    setTexts({ ...texts, [name]: event.target.value })
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    let done: Done
    try {
      done = await setLimit(rule, limit)()
    } catch (error) {
      return setFault(faultOf(error))
    }
    close()
    await perform(() => Promise.resolve(done))
  }
  const isNew = limit === undefined
  return (
    <Dialog title={isNew ? 'Set a limit' : `Limit ${aboutLimit(limit)}`} close={close}>
      <form method="post" className={ui['bare']} noValidate onSubmit={(event) => void submit(event)}>
        {isNew && (
          <>
            <Field label="Queue" value={texts.queue} onChange={change('queue')} />
            <Select label="On" choices={scopes} value={texts.scope} change={change('scope')} />
            {'name' in rule && (
              <Field label={`Name of the ${texts.scope}`} value={texts.name} onChange={change('name')} />
            )}
          </>
        )}
        <Field
          label="Running at a time, at most"
          type="number"
          min={1}
          hint="Empty: as many as workers have slots."
          value={texts.maxRunning}
          onChange={change('maxRunning')}
        />
        <Field
          label="Starts, at most"
          type="number"
          min={1}
          hint="Empty: as many as there are."
          value={texts.count}
          onChange={change('count')}
        />
        {texts.count !== '' && (
          <>
            <Field
              label="In so many seconds"
              type="number"
              value={texts.perSeconds}
              onChange={change('perSeconds')}
            />
            <Field
              label="At once, after a pause"
              type="number"
              value={texts.burst}
              onChange={change('burst')}
            />
          </>
        )}
        {texts.scope === 'each_key' && (
          <Select label="Order" choices={orders} value={texts.order} change={change('order')} />
        )}
        {texts.scope !== 'each_key' && (
          <Select label="State" choices={states} value={texts.state} change={change('state')} />
        )}
        <p className={ui['hint']}>
          Jobs that run already count, and go on even if they are more. All limits that apply to a job hold at
          once.
        </p>
        <div role="alert" className={ui['fault']}>
          {fault}
        </div>
        <CopyCode code={codeOfSet(rule)} />
        <div className={ui['actions']}>
          <Button onClick={close}>Keep as it is</Button>
          <Button type="submit" look="primary">
            Set limit
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function faultOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  if (error.issues.length === 0) return error.detail
  return error.issues.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; ')
}

interface SelectProps<Value extends string> {
  readonly label: string
  readonly choices: Readonly<Record<Value, string>>
  readonly value: Value
  readonly change: (event: { readonly target: { readonly value: string } }) => void
}

function Select<Value extends string>({ label, choices, value, change }: SelectProps<Value>) {
  const id = useId()
  return (
    <div className={ui['field']}>
      <label htmlFor={id}>{label}</label>
      <select id={id} className={ui['input']} value={value} onChange={change}>
        {Object.entries<string>(choices).map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </div>
  )
}
