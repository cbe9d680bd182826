import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { Execution, Job } from '@queue/client'
import { useWorkerVersions } from '../api/worker-versions.ts'
import { jobRoute } from '../routes.ts'
import type { JobPageSearch } from '../search.ts'
import { Button, Card, IconButton } from '../ui/controls.tsx'
import { firstLine, formatSpan } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { AttemptDiff } from './attempt-diff.tsx'
import { AttemptError } from './attempt-error.tsx'
import { type AttemptSpan, attemptSpans } from './attempt-spans.ts'

interface AttemptsProps {
  readonly job: Job
  readonly attempts: readonly Execution[]
}

const tokenOf = ({ attempt }: AttemptSpan): string => String(attempt.lease_token)

/** The ended attempts, the newest first. One can be read, and two laid side by side; the address keeps which. */
export function Attempts({ job, attempts }: AttemptsProps) {
  const { compare, attempt: read } = jobRoute.useSearch()
  const change = useChange()
  if (attempts.length === 0) return null
  const spans = attemptSpans(job, attempts)
  const chosen = compare?.split('-') ?? []
  const [left, right] = chosen.map((token) => spans.find((span) => tokenOf(span) === token))
  const at = spans.findIndex((span) => tokenOf(span) === read)
  const shown = spans[at]
  const choose = (token: string): void => {
    const next = chosen.includes(token) ? chosen.filter((one) => one !== token) : [...chosen, token].slice(-2)
    change({ compare: pairOf(next) })
  }
  return (
    <Card title="Attempts" aside={<Steps spans={spans} at={at} />} flush>
      <AttemptTable spans={spans} read={read} chosen={chosen} choose={choose} />
      {shown !== undefined && (
        <AttemptError
          shown={shown}
          before={spans[at - 1]}
          compare={(before) => change({ compare: pairOf([tokenOf(before), tokenOf(shown)]) })}
        />
      )}
      {left !== undefined && right !== undefined && <AttemptDiff left={left} right={right} />}
    </Card>
  )
}

function pairOf(tokens: readonly string[]): string | undefined {
  return tokens.length === 0 ? undefined : tokens.toSorted((a, b) => Number(a) - Number(b)).join('-')
}

function useChange() {
  const navigate = jobRoute.useNavigate()
  return (members: JobPageSearch): void => {
    void navigate({ search: (before) => ({ ...before, ...members }), replace: true, resetScroll: false })
  }
}

interface StepsProps {
  readonly spans: readonly AttemptSpan[]
  /** Which one is read; -1: none. */
  readonly at: number
}

/** From the attempt that is read to its neighbours; from none to the newest. */
function Steps({ spans, at }: StepsProps) {
  const change = useChange()
  const [before, after] = at === -1 ? [spans.at(-1), undefined] : [spans[at - 1], spans[at + 1]]
  const button = (
    to: AttemptSpan | undefined,
    { key, label }: { readonly key: string; readonly label: string },
  ) => (
    <IconButton
      label={label}
      data-key={key}
      disabled={to === undefined}
      onClick={() => to !== undefined && change({ attempt: tokenOf(to) })}
    >
      {key === '[' ? <ChevronLeft size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
    </IconButton>
  )
  return (
    <>
      {spans.length > 1 && <span className={ui['hint']}>choose two to compare</span>}
      <span>
        {button(before, {
          key: '[',
          label: at === -1 ? 'Read the newest attempt' : 'Read the attempt before',
        })}
        {button(after, { key: ']', label: 'Read the next attempt' })}
      </span>
    </>
  )
}

interface AttemptTableProps {
  readonly spans: readonly AttemptSpan[]
  readonly read: string | undefined
  readonly chosen: readonly string[]
  readonly choose: (token: string) => void
}

function AttemptTable({ spans, read, chosen, choose }: AttemptTableProps) {
  const versions = useWorkerVersions()
  const areSeveral = spans.length > 1
  return (
    <table className={ui['table']}>
      <thead>
        <tr>
          <th>Attempt</th>
          <th>Outcome</th>
          <th>Started</th>
          <th className={ui['number']}>Waited</th>
          <th className={ui['number']}>Ran</th>
          <th>Worker</th>
          <th>Version</th>
          <th>Error</th>
          {areSeveral && <th className={ui['act']}>Compare</th>}
        </tr>
      </thead>
      <tbody>
        {spans.toReversed().map((span) => {
          const { attempt, waitedMs, ranMs } = span
          const token = tokenOf(span)
          const isBad = attempt.outcome === 'failed' || attempt.outcome === 'lost'
          return (
            <tr key={token} data-row data-selected={token === read}>
              <td className={ui['strong']}>
                <AttemptLink span={span} isRead={token === read} />
              </td>
              <td className={isBad ? ui['faultText'] : ''}>{attempt.outcome}</td>
              <td>
                <Time at={attempt.started_at} />
              </td>
              <td className={ui['number']} data-label="waited">
                {formatSpan(waitedMs)}
              </td>
              <td className={ui['number']} data-label="ran">
                {formatSpan(ranMs)}
              </td>
              <td className={ui['mono']}>{attempt.worker_id}</td>
              <td className={ui['mono']}>{versions.get(attempt.worker_id)}</td>
              <td className={ui['wide']}>
                <CauseLink attempt={attempt} />
              </td>
              {areSeveral && (
                <td className={ui['act']}>
                  <Button aria-pressed={chosen.includes(token)} onClick={() => choose(token)}>
                    {chosen.includes(token) ? 'Chosen' : 'Compare'}
                    <span className="visually-hidden"> attempt {attempt.attempt}</span>
                  </Button>
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Opens its whole error below the table, or closes that. */
function AttemptLink({ span, isRead }: { readonly span: AttemptSpan; readonly isRead: boolean }) {
  return (
    <Link
      from={jobRoute.fullPath}
      to="."
      search={(before) => ({ ...before, attempt: isRead ? undefined : tokenOf(span) })}
      replace
      resetScroll={false}
      aria-label={`Read attempt ${span.attempt.attempt}`}
    >
      #{span.attempt.attempt}
    </Link>
  )
}

/** Why an attempt failed, and the way to the others that failed so. */
function CauseLink({ attempt: { error, fingerprint } }: { readonly attempt: Execution }) {
  const text = firstLine(error ?? '')
  if (fingerprint === null) return <span className={ui['muted']}>{text}</span>
  return (
    <Link to="/errors/$fingerprint" params={{ fingerprint }}>
      {text}
    </Link>
  )
}
