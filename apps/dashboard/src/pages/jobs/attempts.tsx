import type { Execution, Job } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useWorkerVersions } from '../../api/worker-versions.ts'
import { jobRoute } from '../../routes.ts'
import type { JobPageSearch } from '../../search.ts'
import { Button, Card, IconButton } from '../../ui/controls.tsx'
import { firstLine, formatSpan } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { AttemptDiff } from './attempt-diff.tsx'
import { AttemptError } from './attempt-error.tsx'
import { type AttemptSpan, attemptSpans } from './attempt-spans.ts'

interface AttemptsProps {
  readonly job: Job
  readonly attempts: readonly Execution[]
}

const tokenOf = ({ attempt }: AttemptSpan): string => String(attempt.lease_token)

/** The ended attempts, the newest first. One can be opened, and two can be compared. The address keeps the selection. */
export function Attempts({ job, attempts }: AttemptsProps) {
  const { compare, attempt: openToken } = jobRoute.useSearch()
  const change = useChange()
  if (attempts.length === 0) return null
  const spans = attemptSpans(job, attempts)
  const selected = compare?.split('-') ?? []
  const [left, right] = selected.map((token) => spans.find((span) => tokenOf(span) === token))
  const at = spans.findIndex((span) => tokenOf(span) === openToken)
  const shown = spans[at]
  const toggle = (token: string): void => {
    const next = selected.includes(token)
      ? selected.filter((one) => one !== token)
      : [...selected, token].slice(-2)
    change({ compare: pairOf(next) })
  }
  return (
    <Card title="Attempts" aside={<Steps spans={spans} at={at} />} flush>
      <AttemptTable spans={spans} openToken={openToken} selected={selected} toggle={toggle} />
      {shown !== undefined && (
        <AttemptError
          shown={shown}
          previous={spans[at - 1]}
          compare={(previous) => change({ compare: pairOf([tokenOf(previous), tokenOf(shown)]) })}
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
  /** The index of the open attempt; -1 if none is open. */
  readonly at: number
}

/** Buttons to the previous and next attempt, or to the newest one if none is open. */
function Steps({ spans, at }: StepsProps) {
  const change = useChange()
  const [previous, next] = at === -1 ? [spans.at(-1), undefined] : [spans[at - 1], spans[at + 1]]
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
      {spans.length > 1 && <span className={ui['hint']}>Select two to compare</span>}
      <span>
        {button(previous, {
          key: '[',
          label: at === -1 ? 'Show the newest attempt' : 'Show the previous attempt',
        })}
        {button(next, { key: ']', label: 'Show the next attempt' })}
      </span>
    </>
  )
}

interface AttemptTableProps {
  readonly spans: readonly AttemptSpan[]
  /** The lease token of the open attempt. */
  readonly openToken: string | undefined
  /** The lease tokens of the attempts to compare. */
  readonly selected: readonly string[]
  readonly toggle: (token: string) => void
}

function AttemptTable({ spans, openToken, selected, toggle }: AttemptTableProps) {
  const versions = useWorkerVersions()
  const isComparable = spans.length > 1
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
          {isComparable && <th className={ui['act']}>Compare</th>}
        </tr>
      </thead>
      <tbody>
        {spans.toReversed().map((span) => {
          const { attempt, waitedMs, ranMs } = span
          const token = tokenOf(span)
          const isFailure = attempt.outcome === 'failed' || attempt.outcome === 'lost'
          return (
            <tr key={token} data-row data-selected={token === openToken}>
              <td className={ui['strong']}>
                <AttemptLink span={span} isOpen={token === openToken} />
              </td>
              <td className={isFailure ? ui['faultText'] : ''}>{attempt.outcome}</td>
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
                <ErrorGroupLink attempt={attempt} />
              </td>
              {isComparable && (
                <td className={ui['act']}>
                  <Button aria-pressed={selected.includes(token)} onClick={() => toggle(token)}>
                    {selected.includes(token) ? 'Selected' : 'Compare'}
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

/** Toggles the full error below the table. */
function AttemptLink({ span, isOpen }: { readonly span: AttemptSpan; readonly isOpen: boolean }) {
  return (
    <Link
      from={jobRoute.fullPath}
      to="."
      search={(before) => ({ ...before, attempt: isOpen ? undefined : tokenOf(span) })}
      replace
      resetScroll={false}
      aria-label={`Show attempt ${span.attempt.attempt}`}
    >
      #{span.attempt.attempt}
    </Link>
  )
}

/** The first line of the error, linked to its error group. */
function ErrorGroupLink({ attempt: { error, fingerprint } }: { readonly attempt: Execution }) {
  const text = firstLine(error ?? '')
  if (fingerprint === null) return <span className={ui['muted']}>{text}</span>
  return (
    <Link to="/errors/$fingerprint" params={{ fingerprint }}>
      {text}
    </Link>
  )
}
