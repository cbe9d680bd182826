import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ActResult } from '@queue/client'
import { client } from '../api/client.ts'
import { Button, Field } from '../ui/controls.tsx'
import { CopyCode } from '../ui/copy-code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { formatCount, plural, shortId } from '../ui/format.ts'
import { StatePill } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import type { Done, Mutation } from './act.ts'
import { type ManyAct, type ManyHow, someOf } from './many-acts.ts'

/** So many may be acted on without typing how many. */
const untypedMax = 1_000

interface ManySheetProps {
  /** What can be done; the first is chosen. */
  readonly acts: readonly ManyAct[]
  readonly perform: (mutation: Mutation) => Promise<void>
  readonly close: () => void
}

/** Acts on all that a filter finds: counts first, shows some of them, and then asks. */
export function ManySheet({ acts, perform, close }: ManySheetProps) {
  const [chosen, setChosen] = useState(0)
  const act = acts[chosen] ?? acts[0]
  if (act === undefined) return null
  const only = acts.length === 1
  return (
    <Dialog title={only ? `${act.verb} many ${act.noun}s` : 'Act on all that match'} close={close}>
      {!only && (
        <div className={ui['tabs']} role="group" aria-label="What to do">
          {acts.map(({ verb }, index) => (
            <button
              key={verb}
              type="button"
              className={ui['tab']}
              aria-pressed={index === chosen}
              data-first={index === 0 ? '' : undefined}
              onClick={() => setChosen(index)}
            >
              {verb}
            </button>
          ))}
        </div>
      )}
      <OneAct key={act.verb} act={act} perform={perform} close={close} />
    </Dialog>
  )
}

interface OneActProps extends Pick<ManySheetProps, 'perform' | 'close'> {
  readonly act: ManyAct
}

function OneAct({ act, perform, close }: OneActProps) {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const dryRun = useQuery({
    queryKey: ['dry-run', act.verb, act.code({}).body, act.about],
    queryFn: () => act.send({ dry_run: true }),
    staleTime: Infinity,
    gcTime: 0,
    enabled: !busy,
  })
  const run = async (how: ManyHow): Promise<void> => {
    setBusy(true)
    let operation: string | undefined
    await perform({
      doing: `The act "${act.verb.toLowerCase()} many ${act.noun}s"`,
      run: async () => {
        const result = await act.send(how)
        operation = result.operation?.id
        return doneOf(act, result)
      },
    })
    close()
    if (operation !== undefined) await navigate({ to: '/operations/$id', params: { id: operation } })
  }
  return (
    <>
      <p>{act.effect}</p>
      <div className={ui['chips']} aria-label="Filter" role="group">
        {act.about.map((part) => (
          <span key={part} className={ui['chip']}>
            {part}
          </span>
        ))}
        {act.about.length === 0 && <span className={ui['chip']}>every {act.noun}</span>}
      </div>
      <Loaded query={dryRun} rows={3}>
        {(found) => (
          <>
            <Found act={act} found={found} />
            <Order act={act} found={found} busy={busy} run={run} close={close} />
          </>
        )}
      </Loaded>
    </>
  )
}

function doneOf(act: ManyAct, result: ActResult): Done {
  const { operation, count, skipped } = result
  if (operation !== null) return { text: 'Workers carry it out, the oldest job first.' }
  const text = `${act.past} ${plural(count, 'job')}.${skipped > 0 ? ` ${formatCount(skipped)} were no longer such.` : ''}`
  const { undo } = act
  return { text, ...(undo !== undefined && count > 0 && { undo: undo(result) }) }
}

/** How many there are, some of them, and what is left alone. */
function Found({ act, found }: { readonly act: ManyAct; readonly found: ActResult }) {
  const { scanned } = found
  return (
    <>
      <p role="status">
        <b>{found.count === 0 ? `No ${act.noun} to ${act.verb.toLowerCase()}.` : someOf(act, found)}</b>
        {scanned !== null && (
          <>
            {' '}
            among the {formatCount(scanned.rows)} that were looked at, back to{' '}
            <Time at={scanned.back_to} exact plain />
          </>
        )}
      </p>
      {found.job_ids.length > 0 && <Sample ids={found.job_ids} />}
      <p className={ui['hint']}>{act.spared} So does what comes after this count.</p>
    </>
  )
}

function Sample({ ids }: { readonly ids: readonly string[] }) {
  const { data } = useQuery({ queryKey: ['states', ids], queryFn: () => client.states(ids) })
  const states = new Map((data ?? []).map((state) => [state.id, state]))
  return (
    <ul className={ui['sample']} aria-label="Some of them">
      {ids.map((id) => {
        const state = states.get(id)
        return (
          <li key={id}>
            <Link to="/jobs/$id" params={{ id }} target="_blank">
              …{shortId(id)}
            </Link>{' '}
            {state !== undefined && (
              <>
                <StatePill status={state.status} cancelling={state.cancel_requested} /> {state.attempts}/
                {state.max_attempts}
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Whether it can be taken back once it is done. */
function undoWords({ by_workers: byWorkers }: ActResult, { rate }: ManyHow): string {
  if (byWorkers || rate !== undefined)
    return 'Workers carry it out, the oldest job first. You can stop them, but there is no undo for what they have done.'
  return 'It is done at once, and you can undo it for 10 seconds.'
}

interface OrderProps {
  readonly act: ManyAct
  readonly found: ActResult
  readonly busy: boolean
  readonly run: (how: ManyHow) => Promise<void>
  readonly close: () => void
}

/** How it is done, and the last question. */
function Order({ act, found, busy, run, close }: OrderProps) {
  const [rate, setRate] = useState('')
  const [when, setWhen] = useState('')
  const [typed, setTyped] = useState('')
  const mustType = act.isFinal === true || found.count > untypedMax
  const instant = new Date(when)
  const hasInstant = !Number.isNaN(instant.getTime())
  const how: ManyHow = {
    ...(Number(rate) >= 1 && { rate: Math.floor(Number(rate)) }),
    ...(act.takesInstant === true && hasInstant && { run_at: instant.toISOString() }),
  }
  const isReady =
    found.count > 0 &&
    (!mustType || typed.trim() === String(found.count)) &&
    (act.takesInstant !== true || hasInstant)
  return (
    <>
      {act.takesInstant === true && (
        <Field
          label="Not before"
          type="datetime-local"
          hint="Your own zone. A past time is as good as now."
          value={when}
          onChange={(event) => setWhen(event.target.value)}
        />
      )}
      <Field
        label="At most so many a second (optional)"
        type="number"
        min={1}
        hint="With a rate, and for more than 1 000, workers carry it out."
        value={rate}
        onChange={(event) => setRate(event.target.value)}
      />
      {mustType && found.count > 0 && (
        <Field
          label={`Type ${found.count} to go on`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {act.undo !== undefined && found.count > 0 && <p className={ui['hint']}>{undoWords(found, how)}</p>}
      <CopyCode code={act.code(how)} />
      <div className={ui['actions']}>
        <Button onClick={close}>Keep as it is</Button>
        <Button
          look={act.verb === 'Requeue' || act.verb === 'Reschedule' ? 'primary' : 'danger'}
          disabled={busy || !isReady}
          onClick={() => void run(how)}
        >
          {act.verb} {someOf(act, found)}
        </Button>
      </div>
    </>
  )
}
