import type { Stats } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ZoomOut } from 'lucide-react'
import { Suspense, lazy, useMemo, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { type NumbersScope, createdIn, stepSeconds } from '../../numbers-range.ts'
import { rangeNames, ranges } from '../../ranges.ts'
import type { NumbersSearch } from '../../search.ts'
import { useZone } from '../../shell/live.ts'
import type { ChartMark } from '../../ui/chart.tsx'
import { Button, Card } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatInstant, formatShare, formatSpan } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import { NumbersTable } from './numbers-table.tsx'
import styles from './numbers.module.css'

/** The chart library is loaded after the page. */
const Chart = lazy(() => import('../../ui/chart.tsx').then((loaded) => ({ default: loaded.Chart })))

interface NumbersProps {
  readonly scope: NumbersScope
  readonly search: NumbersSearch
  readonly change: (search: NumbersSearch) => void
}

/** The counts of jobs over time: totals, four charts, and a table. */
export function Numbers({ scope, search, change }: NumbersProps) {
  const query = useQuery(queries.stats(scope, search))
  return (
    <Card title="Over time" aside={<Ranges search={search} change={change} />}>
      <Loaded query={query} rows={8}>
        {(stats) => (
          <div className={styles['numbers']}>
            <Totals total={stats.total} />
            <Charts stats={stats} scope={scope} change={change} />
            <NumbersTable stats={stats} scope={scope} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

/** The range selector. A part selected in a chart has a button that resets it. */
export function Ranges({ search, change }: Pick<NumbersProps, 'search' | 'change'>) {
  const zone = useZone()
  const { range = '1h', from, to } = search
  const isZoomed = from !== undefined && to !== undefined
  return (
    <div className={ui['tabs']} role="group" aria-label="Range">
      {isZoomed && (
        <Button look="quiet" onClick={() => change({})}>
          <ZoomOut size={14} aria-hidden />
          {formatInstant(from, zone).slice(5, 16)} – {formatInstant(to, zone).slice(5, 16)}
          <span className="visually-hidden">, reset to the last hour</span>
        </Button>
      )}
      {rangeNames.map((name) => (
        <button
          key={name}
          type="button"
          className={ui['tab']}
          aria-pressed={!isZoomed && name === range}
          onClick={() => change({ range: name })}
        >
          {ranges[name].label}
        </button>
      ))}
    </div>
  )
}

function Totals({ total }: Pick<Stats, 'total'>) {
  const { enqueued, succeeded, failed, retried, wait_ms: wait, run_ms: run } = total
  const ended = succeeded + failed
  const share = ended === 0 ? '' : ` (${formatShare(failed / ended)})`
  const figures = [
    ['Enqueued', formatCount(enqueued)],
    ['Succeeded', formatCount(succeeded)],
    ['Failed', `${formatCount(failed)}${share}`],
    ['Retried', formatCount(retried)],
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

type Point = Stats['points'][number]

interface Line {
  readonly label: string
  readonly tone: `--${string}`
  readonly look?: 'dashed' | 'dotted'
  readonly of: (point: Point) => number | null
}

interface Panel {
  readonly title: string
  readonly height: number
  readonly format: (value: number) => string
  readonly lines: readonly Line[]
}

const dashes = { dashed: [6, 4], dotted: [2, 3] } as const

function percentiles(of: (point: Point) => Point['wait_ms']): Line[] {
  return [
    { label: 'p50', tone: '--accent', of: (point) => of(point)?.p50 ?? null },
    { label: 'p95', tone: '--accent', look: 'dashed', of: (point) => of(point)?.p95 ?? null },
    { label: 'p99', tone: '--accent', look: 'dotted', of: (point) => of(point)?.p99 ?? null },
  ]
}

const failuresTitle = 'Failures'

const panels: readonly Panel[] = [
  {
    title: 'Enqueued and succeeded',
    height: 160,
    format: formatCount,
    lines: [
      { label: 'enqueued', tone: '--accent', look: 'dashed', of: ({ enqueued }) => enqueued },
      { label: 'succeeded', tone: '--state-succeeded', of: ({ succeeded }) => succeeded },
    ],
  },
  {
    title: 'Wait time',
    height: 160,
    format: formatSpan,
    lines: percentiles((point) => point.wait_ms),
  },
  {
    title: failuresTitle,
    height: 110,
    format: formatCount,
    lines: [
      { label: 'failed', tone: '--state-failed', of: ({ failed }) => failed },
      { label: 'retried', tone: '--state-retrying', look: 'dashed', of: ({ retried }) => retried },
    ],
  },
  { title: 'Run time', height: 110, format: formatSpan, lines: percentiles((point) => point.run_ms) },
]

/** Only the chart of failures. */
export const failurePanels: readonly Panel[] = panels.filter(({ title }) => title === failuresTitle)

interface ChartsProps extends Pick<NumbersProps, 'scope' | 'change'> {
  readonly stats: Stats
  readonly panels?: readonly Panel[]
  readonly marks?: readonly ChartMark[]
}

export function Charts({ stats, scope, change, panels: shown = panels, marks }: ChartsProps) {
  const navigate = useNavigate()
  const hasTable = shown === panels
  const [pointed, setPointed] = useState<number | null>(null)
  const { points, step, to } = stats
  const time = useMemo(() => {
    const at = points.map((point) => Date.parse(point.at) / 1_000)
    const lasts = stepSeconds[step]
    return { at, stepSeconds: lasts, isOpen: (at.at(-1) ?? 0) + lasts > Date.parse(to) / 1_000 }
  }, [points, step, to])
  const drawn = useMemo(
    () =>
      shown.map((panel) => ({
        ...panel,
        lines: panel.lines.map(({ of, look, ...line }) => ({
          ...line,
          values: points.map(of),
          ...(look !== undefined && { look, dash: dashes[look] }),
        })),
      })),
    [points, shown],
  )
  const zoom = (from: number, until: number): void =>
    change({ from: new Date(from * 1_000).toISOString(), to: new Date(until * 1_000).toISOString() })
  const pick = (index: number): void => {
    const at = points[index]?.at
    if (at !== undefined) void navigate({ to: '/jobs', search: createdIn(at, { step, scope }) })
  }
  return (
    <div className={styles['charts']} data-alone={shown.length === 1}>
      {drawn.map(({ title, height, format, lines }) => (
        <figure key={title} className={styles['panel']}>
          <figcaption>
            <b>{title}</b>
            <span className={ui['muted']}>per {step}</span>
            <Legend lines={lines} index={pointed} format={format} />
          </figcaption>
          <Suspense fallback={<div style={{ height }} />}>
            <Chart
              label={`${title} per ${step}: ${lines.map(({ label }) => label).join(', ')}.${hasTable ? ' The table below lists the values.' : ''}`}
              {...{ time, lines, marks, height, format, zoom, pick }}
              point={setPointed}
            />
          </Suspense>
        </figure>
      ))}
    </div>
  )
}

interface LegendProps {
  readonly lines: readonly {
    readonly label: string
    readonly tone: string
    readonly look?: string
    readonly values: readonly (number | null)[]
  }[]
  readonly index: number | null
  readonly format: (value: number) => string
}

/** The legend of the lines, with the values under the pointer. */
export function Legend({ lines, index, format }: LegendProps) {
  return (
    <span className={styles['legend']}>
      {lines.map(({ label, tone, look, values }) => {
        const value = index === null ? undefined : values[index]
        return (
          <span key={label}>
            <i data-look={look} style={{ borderColor: `var(${tone})` }} aria-hidden />
            {label}
            {value !== undefined && <b> {value === null ? '–' : format(value)}</b>}
          </span>
        )
      })}
    </span>
  )
}
