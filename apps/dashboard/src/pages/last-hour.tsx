import { useQuery } from '@tanstack/react-query'
import type { Stats } from '@queue/client'
import { queries } from '../api/queries.ts'
import { useZone } from '../shell/live.ts'
import { Card } from '../ui/controls.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { formatCount, formatInstant, formatSpan } from '../ui/format.ts'
import ui from '../ui/ui.module.css'
import styles from './last-hour.module.css'

type Point = Stats['points'][number]

/** What has happened to jobs in the last hour, of all queues or of one. */
export function LastHour({ queue }: { readonly queue?: string }) {
  const query = useQuery(queries.lastHour(queue))
  return (
    <Card title="The last hour" aside={<Legend />}>
      <Loaded query={query} rows={4}>
        {({ total, points }) => (
          <div className={styles['hour']}>
            <Totals total={total} />
            <Chart points={points} />
            <AsTable points={points} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Legend() {
  return (
    <span className={styles['legend']}>
      <span data-of="succeeded">succeeded</span>
      <span data-of="failed">failed, or to be tried again</span>
      <span className={ui['muted']}>each minute</span>
    </span>
  )
}

function Totals({ total }: Pick<Stats, 'total'>) {
  const { enqueued, succeeded, failed, retried, wait_ms: wait, run_ms: run } = total
  const ended = succeeded + failed
  const share = ended === 0 ? '' : ` (${((100 * failed) / ended).toFixed(1)} %)`
  const figures = [
    ['In', formatCount(enqueued)],
    ['Succeeded', formatCount(succeeded)],
    ['Failed', `${formatCount(failed)}${share}`],
    ['Tried again', formatCount(retried)],
    ['Wait p95', wait === null ? '–' : formatSpan(wait.p95)],
    ['Run p95', run === null ? '–' : formatSpan(run.p95)],
  ] as const
  return (
    <dl className={styles['totals']}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const barWidth = 10
const upHeight = 72
const downHeight = 28

/** What succeeded upwards, what did not downwards, each from 0 and by its own scale. */
function Chart({ points }: Pick<Stats, 'points'>) {
  const zone = useZone()
  const mostUp = Math.max(1, ...points.map(({ succeeded }) => succeeded))
  const mostDown = Math.max(1, ...points.map(notSucceeded))
  const width = Math.max(1, points.length) * barWidth
  const at = (point: Point | undefined): string =>
    point === undefined ? '' : formatInstant(point.at, zone).slice(11, 16)
  return (
    <figure className={styles['chart']}>
      <svg
        viewBox={`0 0 ${width} ${upHeight + downHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Succeeded and failed jobs of each minute, at most ${mostUp} and ${mostDown}`}
      >
        {points.map((point, index) => (
          <g key={point.at}>
            <title>{`${at(point)}: ${point.succeeded} succeeded, ${point.failed} failed, ${point.retried} to be tried again`}</title>
            <Bar
              place={index}
              top={upHeight}
              height={-(upHeight * point.succeeded) / mostUp}
              of="succeeded"
            />
            <Bar
              place={index}
              top={upHeight + 2}
              height={((downHeight - 2) * notSucceeded(point)) / mostDown}
              of="failed"
            />
          </g>
        ))}
      </svg>
      <figcaption>
        <span>{at(points[0])}</span>
        <span>at most {formatCount(mostUp)} a minute</span>
        <span>{at(points.at(-1))}</span>
      </figcaption>
    </figure>
  )
}

interface BarProps {
  readonly place: number
  readonly top: number
  /** Negative: upwards. */
  readonly height: number
  readonly of: 'succeeded' | 'failed'
}

function Bar({ place, top, height, of }: BarProps) {
  return (
    <rect
      data-of={of}
      x={place * barWidth + 1}
      y={Math.min(top, top + height)}
      width={barWidth - 2}
      height={Math.abs(height)}
    />
  )
}

function notSucceeded({ failed, retried }: Point): number {
  return failed + retried
}

function AsTable({ points }: Pick<Stats, 'points'>) {
  const zone = useZone()
  return (
    <details className={styles['details']}>
      <summary>Show as table</summary>
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>Minute</th>
            <th className={ui['number']}>In</th>
            <th className={ui['number']}>Succeeded</th>
            <th className={ui['number']}>Failed</th>
            <th className={ui['number']}>Tried again</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.at}>
              <td>{formatInstant(point.at, zone).slice(0, 16)}</td>
              <td className={ui['number']} data-label="in">
                {point.enqueued}
              </td>
              <td className={ui['number']} data-label="succeeded">
                {point.succeeded}
              </td>
              <td className={ui['number']} data-label="failed">
                {point.failed}
              </td>
              <td className={ui['number']} data-label="tried again">
                {point.retried}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
