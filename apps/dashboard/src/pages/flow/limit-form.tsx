import { ApiError, type Limit, type LimitTarget, type SetLimit } from '@queue/client'
import { useId, useState } from 'react'
import type { Done } from '../../acts/act.ts'
import { useActs } from '../../acts/acts.tsx'
import { codeOfSet, limitSubject, setLimit } from '../../acts/limit-acts.ts'
import { Button, Field } from '../../ui/controls.tsx'
import { CopyCode } from '../../ui/copy-code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, SubmitButton } from '../../ui/form.tsx'
import ui from '../../ui/ui.module.css'

interface LimitFormProps {
  /** Initial values for a new limit: a queue, or the full target, which then cannot be changed. */
  readonly about: Partial<LimitTarget>
  /** The limit to edit; absent for a new one. */
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

/** The fields of a limit by scope. */
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
  none: 'Off',
  tenant: 'Tenants take turns',
  key: 'Keys take turns',
} as const

const states = { open: 'Active: jobs can start', paused: 'Paused: no jobs start' } as const

const scopes = {
  queue: 'All jobs of the queue',
  kind: 'Jobs of one kind',
  key: 'Jobs of one key',
  each_key: 'Each key separately',
  tenant: 'Jobs of one tenant',
} as const satisfies Record<Scope, string>

const orders = {
  none: 'Any order',
  block: 'In order, a retrying job blocks later ones',
  continue: 'In order, later jobs can pass a retrying one',
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

/** The request for these texts. Empty fields set no rule. */
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

/** Sets a limit, which replaces the current one. */
export function LimitForm({ about, limit, close }: LimitFormProps) {
  const { report } = useActs()
  const [texts, setTexts] = useState(() => textsOf(limit, about))
  const [fault, setFault] = useState<string>()
  const rule = ruleOf(texts)
  const submit = async (): Promise<void> => {
    let done: Done
    try {
      done = await setLimit(rule, limit).run()
    } catch (error) {
      return setFault(faultOf(error))
    }
    close()
    await report(done)
  }
  const isTargetOpen = limit === undefined && about.scope === undefined
  return (
    <Dialog title={isTargetOpen ? 'Set a limit' : `Limit on ${limitSubject(rule)}`} close={close}>
      <Form className={ui['bare']} submit={submit}>
        {isTargetOpen && <Target texts={texts} set={setTexts} />}
        <Rules texts={texts} set={setTexts} />
        <p className={ui['hint']}>
          Running jobs count, and continue if they exceed a new limit. A job must satisfy all limits that
          apply to it.
        </p>
        <div role="alert" className={ui['fault']}>
          {fault}
        </div>
        <CopyCode code={codeOfSet(rule)} />
        <div className={ui['actions']}>
          <Button onClick={close}>Close</Button>
          <SubmitButton>Set limit</SubmitButton>
        </div>
      </Form>
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

/** The fields for the target of the limit. */
function Target(props: PartProps) {
  const { queue, scope, name } = props.texts
  const change = changing(props)
  return (
    <>
      <Field label="Queue" value={queue} onChange={change('queue')} />
      <Select label="Applies to" choices={scopes} value={scope} change={change('scope')} />
      {has(scope, 'name') && <Field label={`Name of the ${scope}`} value={name} onChange={change('name')} />}
    </>
  )
}

/** The fields for the rules of the limit. */
function Rules(props: PartProps) {
  const { scope, order, fairBy, maxWaiting, weight, state } = props.texts
  const change = changing(props)
  return (
    <>
      {has(scope, 'bounds') && <Bounds {...props} />}
      {has(scope, 'waiting') && (
        <Field
          label="Maximum waiting jobs"
          type="number"
          min={1}
          hint="While this many jobs wait, the queue accepts no new jobs. Empty: no maximum."
          value={maxWaiting}
          onChange={change('maxWaiting')}
        />
      )}
      {has(scope, 'order') && (
        <Select label="Order" choices={orders} value={order} change={change('order')} />
      )}
      {has(scope, 'fairBy') && (
        <Select label="Fairness" choices={fairness} value={fairBy} change={change('fairBy')} />
      )}
      {has(scope, 'weight') && (
        <Field
          label="Weight"
          type="number"
          min={1}
          hint="Turns for each turn of the others. Empty: 1."
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

/** The fields for the maximum of running jobs and the rate. */
function Bounds(props: PartProps) {
  const { maxRunning, count, perSeconds, burst } = props.texts
  const change = changing(props)
  const number = (name: 'maxRunning' | 'count' | 'perSeconds' | 'burst') =>
    ({ type: 'number', min: 1, onChange: change(name) }) as const
  return (
    <>
      <Field
        label="Maximum running jobs"
        hint="Empty: limited only by the slots of the workers."
        value={maxRunning}
        {...number('maxRunning')}
      />
      <Field label="Maximum starts" hint="Empty: no rate limit." value={count} {...number('count')} />
      {count !== '' && (
        <>
          <Field label="Period in seconds" value={perSeconds} {...number('perSeconds')} />
          <Field label="Burst" value={burst} {...number('burst')} />
        </>
      )}
    </>
  )
}

function faultOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  if (error.error === 'limit_changed')
    return 'The limit has changed since you opened this form: open it again.'
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
        {Object.entries<string>(choices).map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
