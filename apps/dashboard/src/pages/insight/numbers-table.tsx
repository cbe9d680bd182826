import type { Stats } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type NumbersScope, createdIn } from '../../numbers-range.ts'
import { useZone } from '../../shell/live.ts'
import { formatInstant, formatSpan } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import styles from './numbers.module.css'

interface NumbersTableProps {
  readonly stats: Stats
  readonly scope: NumbersScope
}

/** The values of the charts as a table, rendered when it is opened. */
export function NumbersTable({ stats, scope }: NumbersTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles['details']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && (
        <div className={ui['scroll']}>
          <table className={ui['table']}>
            <thead>
              <tr>
                <th>Start</th>
                {columns.map(([name]) => (
                  <th key={name} className={ui['number']}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {stats.points.toReversed().map((point) => (
                <NumbersRow key={point.at} point={point} step={stats.step} scope={scope} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

type Point = Stats['points'][number]

const columns: readonly (readonly [string, (point: Point) => number | string])[] = [
  ['Enqueued', ({ enqueued }) => enqueued],
  ['Succeeded', ({ succeeded }) => succeeded],
  ['Failed', ({ failed }) => failed],
  ['Retried', ({ retried }) => retried],
  ['Cancelled', ({ cancelled }) => cancelled],
  ['Wait p50', ({ wait_ms: wait }) => (wait === null ? '–' : formatSpan(wait.p50))],
  ['Wait p95', ({ wait_ms: wait }) => (wait === null ? '–' : formatSpan(wait.p95))],
  ['Wait p99', ({ wait_ms: wait }) => (wait === null ? '–' : formatSpan(wait.p99))],
  ['Run p50', ({ run_ms: run }) => (run === null ? '–' : formatSpan(run.p50))],
  ['Run p95', ({ run_ms: run }) => (run === null ? '–' : formatSpan(run.p95))],
  ['Run p99', ({ run_ms: run }) => (run === null ? '–' : formatSpan(run.p99))],
]

interface NumbersRowProps extends Pick<NumbersTableProps, 'scope'>, Pick<Stats, 'step'> {
  readonly point: Point
}

function NumbersRow({ point, step, scope }: NumbersRowProps) {
  const zone = useZone()
  return (
    <tr data-row>
      <td>
        <Link to="/jobs" search={createdIn(point.at, { step, scope })}>
          {formatInstant(point.at, zone).slice(0, 16)}
        </Link>
      </td>
      {columns.map(([name, valueOf]) => (
        <td key={name} className={ui['number']} data-label={name.toLowerCase()}>
          {valueOf(point)}
        </td>
      ))}
    </tr>
  )
}
