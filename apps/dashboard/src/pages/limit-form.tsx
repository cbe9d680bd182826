import { type SubmitEvent, useId, useState } from 'react'
import { ApiError, type Limit, type LimitTarget, type SetLimit } from '@queue/client'
import type { Done } from '../acts/act.ts'
import { useActs } from '../acts/acts.tsx'
import { limitSubject, codeOfSet, setLimit } from '../acts/limit-acts.ts'
import { Button, Field } from '../ui/controls.tsx'
import { CopyCode } from '../ui/copy-code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import ui from '../ui/ui.module.css'

interface LimitFormProps {
  /** What is proposed for a new one: a queue, or all of what it is about, which then is not asked. */
  readonly about: Partial<LimitTarget>
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
  readonly maxWaiting: string
  readonly count: string
  readonly perSeconds: string
  readonly burst: string
  readonly order: Order
  readonly fairBy: keyof typeof fairness
  readonly weight: string
  readonly state: keyof typeof states
}

/** What a limit on each scope may say. */
const fieldsOf = {
  queue: ['bounds', 'waiting', 'fairBy', 'state'],
  kind: ['bounds', 'name', 'state'],
  key: ['bounds', 'name', 'weight', 'state'],
  each_key: ['bounds', 'order'],
  tenant: ['name', 'waiting', 'weight'],
} as const satisfies Record<Scope, readonly string[]>

type FieldName = (typeof fieldsOf)[Scope][number]

function has(scope: Scope, field: FieldName): boolean {
  return (fieldsOf[scope] as readonly FieldName[]).includes(field)
}

const fairness = {
  none: 'as they come',
  tenant: 'tenants take turns',
  key: 'keys take turns',
} as const

const states = { open: 'its jobs may start', paused: 'paused: none of its jobs starts' } as const

const scopes = {
  queue: 'all jobs of the queue',
  kind: 'the jobs of a kind',
  key: 'the jobs of one key',
  each_key: 'each key by itself',
  tenant: 'the jobs of a tenant',
} as const satisfies Record<Scope, string>

const orders = {
  none: 'in any order',
  block: 'one after the other; a retry blocks',
  continue: 'one after the other; others go past a retry',
} as const satisfies Record<Order, string>

function textsOf(limit: Limit | undefined, about: Partial<LimitTarget>): Texts {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : String(value)
  return {
    queue: limit?.queue ?? about.queue ?? 'default',
    scope: limit?.scope ?? about.scope ?? 'queue',
    name: limit?.name ?? about.name ?? '',
    maxRunning: text(limit?.max_running),
    maxWaiting: text(limit?.max_waiting),
    count: text(limit?.rate?.count),
    perSeconds: text(limit?.rate === null || limit === undefined ? null : limit.rate.per_ms / 1_000),
    burst: text(limit?.rate?.burst),
    order: limit?.ordered?.on_retry ?? 'none',
    fairBy: limit?.fair_by ?? 'none',
    weight: text(limit?.weight),
    state: (limit?.paused_at ?? null) === null ? 'open' : 'paused',
  }
}

/** What is empty limits nothing. */
function ruleOf(texts: Texts): SetLimit {
  const { scope, name, maxRunning, maxWaiting, count, perSeconds, burst, order, fairBy, weight } = texts
  return {
    queue: texts.queue,
    scope,
    ...(has(scope, 'name') && { name }),
    ...(has(scope, 'bounds') && maxRunning !== '' && { max_running: Number(maxRunning) }),
    ...(has(scope, 'bounds') &&
      count !== '' && {
        rate: { count: Number(count), per_ms: Number(perSeconds) * 1_000, burst: Number(burst) },
      }),
    ...(has(scope, 'waiting') && maxWaiting !== '' && { max_waiting: Number(maxWaiting) }),
    ...(has(scope, 'order') && order !== 'none' && { ordered: { on_retry: order } }),
    ...(has(scope, 'fairBy') && fairBy !== 'none' && { fair_by: fairBy }),
    ...(has(scope, 'weight') && weight !== '' && { weight: Number(weight) }),
    ...(has(scope, 'state') && texts.state === 'paused' && { paused: true }),
  }
}

/** Sets a limit, in the place of what holds now. */
export function LimitForm({ about, limit, close }: LimitFormProps) {
  const { report } = useActs()
  const [texts, setTexts] = useState(() => textsOf(limit, about))
  const [fault, setFault] = useState<string>()
  const rule = ruleOf(texts)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    let done: Done
    try {
      done = await setLimit(rule, limit).run()
    } catch (error) {
      return setFault(faultOf(error))
    }
    close()
    await report(done)
  }
  const isAsked = limit === undefined && about.scope === undefined
  return (
    <Dialog title={isAsked ? 'Set a limit' : `Limit ${limitSubject(rule)}`} close={close}>
      <form method="post" className={ui['bare']} noValidate onSubmit={(event) => void submit(event)}>
        {isAsked && <Target texts={texts} set={setTexts} />}
        <Rules texts={texts} set={setTexts} />
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

interface PartProps {
  readonly texts: Texts
  readonly set: (texts: Texts) => void
}

interface Changed {
  readonly target: { readonly value: string }
}

const changing =
  ({ texts, set }: PartProps) =>
  (name: keyof Texts) =>
  ({ target }: Changed) =>
    set({ ...texts, [name]: target.value })

/** What the limit is about. */
function Target(props: PartProps) {
  const { queue, scope, name } = props.texts
  const change = changing(props)
  return (
    <>
      <Field label="Queue" value={queue} onChange={change('queue')} />
      <Select label="On" choices={scopes} value={scope} change={change('scope')} />
      {has(scope, 'name') && <Field label={`Name of the ${scope}`} value={name} onChange={change('name')} />}
    </>
  )
}

/** What holds for it. */
function Rules(props: PartProps) {
  const { scope, order, fairBy, maxWaiting, weight, state } = props.texts
  const change = changing(props)
  return (
    <>
      {has(scope, 'bounds') && <Bounds {...props} />}
      {has(scope, 'waiting') && (
        <Field
          label="Waiting, at most"
          type="number"
          min={1}
          hint="Where so many wait, enqueues are refused until fewer do. Empty: any number."
          value={maxWaiting}
          onChange={change('maxWaiting')}
        />
      )}
      {has(scope, 'order') && (
        <Select label="Order" choices={orders} value={order} change={change('order')} />
      )}
      {has(scope, 'fairBy') && (
        <Select label="Turns" choices={fairness} value={fairBy} change={change('fairBy')} />
      )}
      {has(scope, 'weight') && (
        <Field
          label="Turns for each of the others"
          type="number"
          min={1}
          hint="Empty: one."
          value={weight}
          onChange={change('weight')}
        />
      )}
      {has(scope, 'state') && (
        <Select label="State" choices={states} value={state} change={change('state')} />
      )}
    </>
  )
}

/** How many run at a time, and how fast they start. */
function Bounds(props: PartProps) {
  const { maxRunning, count, perSeconds, burst } = props.texts
  const change = changing(props)
  const number = (name: 'maxRunning' | 'count' | 'perSeconds' | 'burst') =>
    ({ type: 'number', min: 1, onChange: change(name) }) as const
  return (
    <>
      <Field
        label="Running at a time, at most"
        hint="Empty: as many as workers have slots."
        value={maxRunning}
        {...number('maxRunning')}
      />
      <Field label="Starts, at most" hint="Empty: as many as there are." value={count} {...number('count')} />
      {count !== '' && (
        <>
          <Field label="In so many seconds" value={perSeconds} {...number('perSeconds')} />
          <Field label="At once, after a pause" value={burst} {...number('burst')} />
        </>
      )}
    </>
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
  readonly change: (event: Changed) => void
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
