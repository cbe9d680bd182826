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
import { useOnce } from '../ui/use-once.ts'
import ui from '../ui/ui.module.css'
import type { Done, Mutation } from './act.ts'
import { countText, type ManyAct, type ManyHow } from './many-acts.ts'

/** Above this number, the user must type the count. */
const untypedCountMax = 1_000

interface ManySheetProps {
  /** The available actions. The first one is selected. */
  readonly acts: readonly ManyAct[]
  readonly perform: (mutation: Mutation) => Promise<void>
  readonly close: () => void
}

/** Runs a bulk action: a dry run counts the objects and shows a sample, then the user confirms. */
export function ManySheet({ acts, perform, close }: ManySheetProps) {
  const [chosen, setChosen] = useState(0)
  const act = acts[chosen] ?? acts[0]
  if (act === undefined) return null
  const isSingle = acts.length === 1
  return (
    <Dialog title={isSingle ? `${act.verb} ${act.noun}s` : 'Act on all matching jobs'} close={close}>
      {!isSingle && (
        <div className={ui['tabs']} role="group" aria-label="Action">
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
      <ActForm key={act.verb} act={act} perform={perform} close={close} />
    </Dialog>
  )
}

interface ActFormProps extends Pick<ManySheetProps, 'perform' | 'close'> {
  readonly act: ManyAct
}

function ActForm({ act, perform, close }: ActFormProps) {
  const navigate = useNavigate()
  const { busy, run: runOnce } = useOnce()
  const dryRunQuery = useQuery({
    queryKey: ['dry-run', act.verb, act.code({}).body, act.filterTexts],
    queryFn: () => act.send({ dry_run: true }),
    staleTime: Infinity,
    gcTime: 0,
    enabled: !busy,
  })
  const run = async (how: ManyHow): Promise<void> => {
    let operation: string | undefined
    await perform({
      doing: `The bulk action "${act.verb.toLowerCase()} ${act.noun}s"`,
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
        {act.filterTexts.map((part) => (
          <span key={part} className={ui['chip']}>
            {part}
          </span>
        ))}
        {act.filterTexts.length === 0 && <span className={ui['chip']}>all {act.noun}s</span>}
      </div>
      <Loaded query={dryRunQuery} rows={3}>
        {(dryRun) => (
          <>
            <DryRun act={act} dryRun={dryRun} />
            <Confirmation
              act={act}
              dryRun={dryRun}
              busy={busy}
              run={(how) => runOnce(() => run(how))}
              close={close}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

function doneOf(act: ManyAct, result: ActResult): Done {
  const { operation, count, skipped } = result
  if (operation !== null) return { text: 'Operation started. Workers process the oldest jobs first.' }
  const text = `${act.past} ${plural(count, 'job')}.${skipped > 0 ? ` Skipped ${formatCount(skipped)} that changed since.` : ''}`
  const undo = count > 0 ? act.undo?.(result) : undefined
  return { text, ...(undo !== undefined && { undo }) }
}

/** The result of the dry run: the count, a sample, and what is skipped. */
function DryRun({ act, dryRun }: { readonly act: ManyAct; readonly dryRun: ActResult }) {
  const { scanned } = dryRun
  return (
    <>
      <p role="status">
        <b>{dryRun.count === 0 ? `No ${act.noun}s to ${act.verb.toLowerCase()}` : countText(act, dryRun)}</b>
        {scanned !== null && (
          <>
            {' '}
            found in the last {formatCount(scanned.rows)} jobs, back to{' '}
            <Time at={scanned.back_to} format="instant" plain />
          </>
        )}
      </p>
      {dryRun.job_ids.length > 0 && <Sample ids={dryRun.job_ids} />}
      <p className={ui['hint']}>
        {act.skips} New {act.noun}s after this count are not affected.
      </p>
    </>
  )
}

function Sample({ ids }: { readonly ids: readonly string[] }) {
  const { data } = useQuery({ queryKey: ['states', ids], queryFn: () => client.states(ids) })
  const states = new Map((data ?? []).map((state) => [state.id, state]))
  return (
    <ul className={ui['sample']} aria-label="Sample">
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

/** Whether the action can be undone. */
function undoHint({ by_workers: byWorkers }: ActResult, { rate }: ManyHow): string {
  if (byWorkers || rate !== undefined)
    return 'Workers process the oldest jobs first. You can cancel the rest, but there is no undo.'
  return 'Runs at once. You can undo it for 10 seconds.'
}

interface ConfirmationProps {
  readonly act: ManyAct
  readonly dryRun: ActResult
  readonly busy: boolean
  readonly run: (how: ManyHow) => Promise<void>
  readonly close: () => void
}

/** The options of the action, and its confirmation. */
function Confirmation({ act, dryRun, busy, run, close }: ConfirmationProps) {
  const [rate, setRate] = useState('')
  const [when, setWhen] = useState('')
  const [typedCount, setTypedCount] = useState('')
  const mustType = act.isFinal === true || dryRun.count > untypedCountMax
  const isHarmless = act.verb === 'Requeue' || act.verb === 'Reschedule'
  const instant = new Date(when)
  const hasInstant = !Number.isNaN(instant.getTime())
  const how: ManyHow = {
    ...(Number(rate) >= 1 && { rate: Math.floor(Number(rate)) }),
    ...(act.takesInstant === true && hasInstant && { run_at: instant.toISOString() }),
  }
  const isReady =
    dryRun.count > 0 &&
    (!mustType || typedCount.trim() === String(dryRun.count)) &&
    (act.takesInstant !== true || hasInstant)
  return (
    <>
      {act.takesInstant === true && (
        <Field
          label="Earliest start"
          type="datetime-local"
          hint="In local time. A past time means now."
          value={when}
          onChange={(event) => setWhen(event.target.value)}
        />
      )}
      <Field
        label="Jobs per second (optional)"
        type="number"
        min={1}
        hint="With a rate, or for more than 1 000 jobs, workers run the action in the background."
        value={rate}
        onChange={(event) => setRate(event.target.value)}
      />
      {mustType && dryRun.count > 0 && (
        <Field
          label={`Type ${dryRun.count} to confirm`}
          inputMode="numeric"
          autoComplete="off"
          value={typedCount}
          onChange={(event) => setTypedCount(event.target.value)}
        />
      )}
      {act.undo !== undefined && dryRun.count > 0 && <p className={ui['hint']}>{undoHint(dryRun, how)}</p>}
      <CopyCode code={act.code(how)} />
      <div className={ui['actions']}>
        <Button onClick={close}>{isHarmless ? 'Close' : 'Keep jobs'}</Button>
        <Button
          look={isHarmless ? 'primary' : 'danger'}
          disabled={busy || !isReady}
          onClick={() => void run(how)}
        >
          {act.verb} {countText(act, dryRun)}
        </Button>
      </div>
    </>
  )
}
