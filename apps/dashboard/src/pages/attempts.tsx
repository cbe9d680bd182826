import { Link } from '@tanstack/react-router'
import type { Execution, Job } from '@queue/client'
import { jobRoute } from '../routes.ts'
import { Button, Card } from '../ui/controls.tsx'
import { firstLine, formatSpan } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { AttemptDiff } from './attempt-diff.tsx'

interface AttemptsProps {
  readonly job: Job
  readonly attempts: readonly Execution[]
}

/** The ended attempts, the newest first. Two of them can be laid side by side; the address keeps which. */
export function Attempts({ attempts }: AttemptsProps) {
  const { compare } = jobRoute.useSearch()
  const navigate = jobRoute.useNavigate()
  if (attempts.length === 0) return null
  const chosen = compare?.split('-') ?? []
  const [left, right] = chosen.map((token) => attempts.find(({ lease_token: one }) => String(one) === token))
  const choose = (token: string): void => {
    const next = chosen.includes(token) ? chosen.filter((one) => one !== token) : [...chosen, token].slice(-2)
    const text = next.toSorted((a, b) => Number(a) - Number(b)).join('-')
    void navigate({
      search: ({ compare: _compare, ...others }) => ({ ...others, ...(text !== '' && { compare: text }) }),
      replace: true,
    })
  }
  return (
    <Card
      title="Attempts"
      aside={attempts.length > 1 && <span className={ui['hint']}>choose two to compare</span>}
      flush
    >
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>Attempt</th>
            <th>Outcome</th>
            <th>Started</th>
            <th className={ui['number']}>Ran</th>
            <th>Worker</th>
            <th>Error</th>
            {attempts.length > 1 && <th className={ui['act']}>Compare</th>}
          </tr>
        </thead>
        <tbody>
          {attempts.toReversed().map((attempt) => (
            <tr key={attempt.lease_token}>
              <td className={ui['strong']}>#{attempt.attempt}</td>
              <td
                className={attempt.outcome === 'failed' || attempt.outcome === 'lost' ? ui['faultText'] : ''}
              >
                {attempt.outcome}
              </td>
              <td>
                <Time at={attempt.started_at} />
              </td>
              <td className={ui['number']} data-label="ran">
                {formatSpan(Date.parse(attempt.finished_at) - Date.parse(attempt.started_at))}
              </td>
              <td className={ui['mono']}>{attempt.worker_id}</td>
              <td className={ui['wide']}>
                <CauseLink attempt={attempt} />
              </td>
              {attempts.length > 1 && (
                <td className={ui['act']}>
                  <Button
                    aria-pressed={chosen.includes(String(attempt.lease_token))}
                    onClick={() => choose(String(attempt.lease_token))}
                  >
                    {chosen.includes(String(attempt.lease_token)) ? 'Chosen' : 'Compare'}
                    <span className="visually-hidden"> attempt {attempt.attempt}</span>
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {left !== undefined && right !== undefined && <AttemptDiff left={left} right={right} />}
    </Card>
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
