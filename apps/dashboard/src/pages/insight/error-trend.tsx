import type { ErrorGroup } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Suspense, lazy, useMemo, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { rangeNames, ranges } from '../../ranges.ts'
import type { NumbersSearch } from '../../search.ts'
import { nowMs } from '../../shell/clock.ts'
import { useZone } from '../../shell/live.ts'
import { Card } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatInstant, formatShare, formatSpan, plural } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import styles from './errors.module.css'
import numbers from './numbers.module.css'
import { Legend, Ranges } from './numbers.tsx'
import { type CountedRange, isOpenAfter, pointsOf, trendText } from './trend-text.ts'

/** The chart library is loaded after the page. */
const Chart = lazy(() => import('../../ui/chart.tsx').then((loaded) => ({ default: loaded.Chart })))

/** The colours of the version lines. Other versions share one more line. */
const tones = [
  '--state-failed',
  '--accent',
  '--state-retrying',
  '--state-succeeded',
  '--state-cancelled',
] as const
const height = 160

interface ErrorTrendProps {
  readonly fingerprint: string
  readonly lastSeenAt: string
  readonly search: NumbersSearch
  readonly change: (search: NumbersSearch) => void
}

/** The failures of an error group over time by worker version, as a chart and as a table. */
export function ErrorTrend({ fingerprint, lastSeenAt, search, change }: ErrorTrendProps) {
  const query = useQuery(queries.errorsIn({ fingerprint, by: 'version' }, search))
  return (
    <Card title="Trend" aside={<Ranges search={search} change={change} />}>
      <Loaded query={query} rows={5}>
        {({ data, range }) =>
          range === null || data.length === 0 ? (
            <NoFailuresInRange lastSeenAt={lastSeenAt} change={change} />
          ) : (
            <Trend groups={data} range={range} change={change} />
          )
        }
      </Loaded>
    </Card>
  )
}

function NoFailuresInRange({ lastSeenAt, change }: Pick<ErrorTrendProps, 'lastSeenAt' | 'change'>) {
  const ageMs = nowMs() - Date.parse(lastSeenAt)
  const wider = rangeNames.find((name) => ageMs < ranges[name].ms)
  return (
    <p>
      No failures in this range. Last: <Time at={lastSeenAt} />.{' '}
      {wider !== undefined && (
        <button type="button" className={ui['tab']} onClick={() => change({ range: wider })}>
          Show {ranges[wider].label}
        </button>
      )}
    </p>
  )
}

interface TrendProps extends Pick<ErrorTrendProps, 'change'> {
  readonly groups: readonly ErrorGroup[]
  readonly range: CountedRange
}

function Trend({ groups, range, change }: TrendProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  const { total, lines } = useMemo(() => linesOf(groups), [groups])
  const time = useMemo(() => {
    const at = pointsOf(range, total.length).map((ms) => ms / 1_000)
    return { at, stepSeconds: range.step_ms / 1_000, isOpen: isOpenAfter(range, total.length) }
  }, [range, total.length])
  const drawn = useMemo(() => lines.map((line) => ({ ...line, values: withinLife(line.values) })), [lines])
  const zone = useZone()
  const text = trendText(total, { range, zone })
  const zoom = (from: number, to: number): void =>
    change({ from: new Date(from * 1_000).toISOString(), to: new Date(to * 1_000).toISOString() })
  return (
    <div className={styles['over']}>
      <Summary groups={groups} total={total} />
      <figure className={numbers['panel']}>
        <figcaption>
          <b>Failures by version</b>
          <span className={ui['muted']}>per {formatSpan(range.step_ms)}</span>
          <Legend lines={drawn} index={pointed} format={formatCount} />
        </figcaption>
        <Suspense fallback={<div style={{ height }} />}>
          <Chart
            label={`Failures by version per ${formatSpan(range.step_ms)}. ${text} The table below lists the values.`}
            {...{ time, height, zoom }}
            lines={drawn}
            format={formatCount}
            point={setPointed}
            pick={ignorePick}
          />
        </Suspense>
      </figure>
      <TrendTable lines={lines} total={total} range={range} />
    </div>
  )
}

/** A click does nothing: jobs cannot be filtered by the time of a failure, only by their creation. */
const ignorePick = (): void => undefined

function Summary({
  groups,
  total,
}: {
  readonly groups: readonly ErrorGroup[]
  readonly total: readonly number[]
}) {
  const [only, ...others] = groups
  const share = others.length === 0 ? (only?.in_range?.share ?? null) : null
  return (
    <p>
      <b>{plural(sum(total), 'failure')}</b> in this range
      {share !== null && `, ${formatShare(share)} of the attempts of ${only?.kind}`}.
    </p>
  )
}

interface VersionLine {
  readonly label: string
  readonly tone: `--${string}`
  readonly values: readonly number[]
  readonly look?: 'dashed'
  readonly dash?: readonly number[]
}

/** One line per version, most failures first. Further versions and failures without a version share one line. */
function linesOf(groups: readonly ErrorGroup[]): {
  readonly total: readonly number[]
  readonly lines: readonly VersionLine[]
} {
  const all = groups.flatMap((group) => group.in_range ?? [])
  const total = sumByStep(all.map(({ trend }) => trend))
  const byVersion = Map.groupBy(
    all.flatMap(({ versions }) => versions),
    ({ version }) => version,
  )
  const named = [...byVersion]
    .flatMap(([version, series]) =>
      version === null ? [] : [{ version, values: sumByStep(series.map(({ trend }) => trend)) }],
    )
    .toSorted((a, b) => sum(b.values) - sum(a.values))
    .slice(0, tones.length)
  const rest = total.map((count, index) => count - sum(named.map(({ values }) => values[index] ?? 0)))
  const lines = named.map(({ version, values }, index) => ({
    label: version,
    tone: tones[index] ?? tones[0],
    values,
  }))
  const others: VersionLine = {
    label: named.length === 0 ? 'unknown' : 'other',
    tone: '--state-queued',
    values: rest,
    look: 'dashed',
    dash: [6, 4],
  }
  return { total, lines: sum(rest) > 0 ? [...lines, others] : lines }
}

/** Only from the step before the first failure to the step after the last, so that a version has no line outside its life. */
function withinLife(values: readonly number[]): readonly (number | null)[] {
  const first = values.findIndex((count) => count > 0)
  const last = values.findLastIndex((count) => count > 0)
  return values.map((count, index) => (index < first - 1 || index > last + 1 ? null : count))
}

function sumByStep(trends: readonly (readonly number[])[]): readonly number[] {
  const [first = [], ...others] = trends
  return others.reduce((total, trend) => total.map((count, index) => count + (trend[index] ?? 0)), first)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

interface TrendTableProps extends Pick<TrendProps, 'range'> {
  readonly lines: readonly VersionLine[]
  readonly total: readonly number[]
}

/** The values of the chart, the latest first, rendered when the table is opened. */
function TrendTable({ lines, total, range }: TrendTableProps) {
  const [isOpen, setOpen] = useState(false)
  const zone = useZone()
  const points = pointsOf(range, total.length).map((ms) => new Date(ms).toISOString())
  return (
    <details className={numbers['details']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && (
        <div className={ui['scroll']}>
          <table className={ui['table']}>
            <thead>
              <tr>
                <th>Start</th>
                <th className={ui['number']}>All</th>
                {lines.map(({ label }) => (
                  <th key={label} className={ui['number']}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points
                .map((at, index) => (
                  <tr key={at} data-row>
                    <td>{formatInstant(at, zone).slice(0, 16)}</td>
                    <td className={ui['number']} data-label="all">
                      {formatCount(total[index] ?? 0)}
                    </td>
                    {lines.map(({ label, values }) => (
                      <td key={label} className={ui['number']} data-label={label}>
                        {formatCount(values[index] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}
