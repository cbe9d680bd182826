import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
// oxlint-disable-next-line import/no-unassigned-import -- A style sheet has nothing to assign.
import 'uplot/dist/uPlot.min.css'
import { useTheme, useZone } from '../shell/live.ts'
import { formatInstant } from './format.ts'

/** One line of a chart: a value for each instant, or null where there is none. */
export interface ChartLine {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** The CSS variable with its colour. */
  readonly tone: `--${string}`
  readonly dash?: readonly number[]
}

/** The steps of a chart: their starts in seconds since 1970, and their length. */
export interface ChartTime {
  readonly at: readonly number[]
  readonly stepSeconds: number
  /** Whether the last step is still in progress. */
  readonly isOpen: boolean
}

/** An event at one instant, in seconds since 1970. */
export interface ChartMark {
  readonly at: number
  readonly label: string
}

interface ChartProps {
  /** The accessible name: what the chart shows. */
  readonly label: string
  readonly time: ChartTime
  readonly lines: readonly ChartLine[]
  /** Labelled vertical lines. */
  readonly marks?: readonly ChartMark[] | undefined
  readonly height: number
  readonly format: (value: number) => string
  /** Called with the index of the step under the pointer, or null when the pointer leaves. */
  readonly point: (index: number | null) => void
  /** Called when the user drags over a part of the time, in seconds since 1970. */
  readonly zoom: (from: number, to: number) => void
  /** Called when the user clicks a step. */
  readonly pick: (index: number) => void
}

/** Charts on one page share their cursor. */
const syncKey = 'queue'
const daySeconds = 86_400

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** Lines over time, from 0. uPlot draws ten thousand points on a canvas in some milliseconds. */
export function Chart(props: ChartProps) {
  const { label, time, lines, marks, height } = props
  const container = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const zone = useZone()
  const theme = useTheme()
  const names = lines.map((line) => line.label).join()
  useEffect(() => {
    const target = container.current
    if (target === null) return undefined
    const chart = new uPlot(
      optionsOf({ width: target.clientWidth, height, zone, current: () => latest.current }),
      dataOf(latest.current),
      target,
    )
    plot.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: target.clientWidth, height }))
    observer.observe(target)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const redraw = (): void => chart.redraw(false)
    dark.addEventListener('change', redraw)
    return () => {
      dark.removeEventListener('change', redraw)
      observer.disconnect()
      chart.destroy()
    }
  }, [height, zone, names])
  useEffect(() => plot.current?.setData(dataOf({ time, lines })), [time, lines])
  useEffect(() => plot.current?.redraw(false), [theme, marks])
  return <div ref={container} role="img" aria-label={label} style={{ height }} />
}

function dataOf({ time, lines }: Pick<ChartProps, 'time' | 'lines'>): uPlot.AlignedData {
  return [[...time.at], ...lines.map(({ values }) => [...values])]
}

/** Steps of the axis of values: what is drawn are counts and milliseconds, of which there is no half. */
const wholeSteps = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat()

interface OptionsInput {
  readonly width: number
  readonly height: number
  readonly zone: 'local' | 'utc'
  readonly current: () => ChartProps
}

function optionsOf({ width, height, zone, current }: OptionsInput): uPlot.Options {
  const axis = {
    stroke: () => colour('--muted'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 16, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high || 0, 1) * 1.1] } },
    cursor: {
      sync: { key: syncKey },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      y: false,
    },
    axes: [
      { ...axis, size: 24, space: 64, values: (_plot, splits) => instantLabels(splits, zone) },
      {
        ...axis,
        size: 56,
        space: 28,
        incrs: wholeSteps,
        values: (_plot, splits) => splits.map((value) => current().format(value)),
      },
    ],
    series: [
      {},
      ...current().lines.map(({ tone, dash, label }) => ({
        label,
        stroke: () => colour(tone),
        width: 1.5,
        points: { show: false },
        ...(dash !== undefined && { dash: [...dash] }),
      })),
    ],
    hooks: {
      drawClear: [(plot) => hatchOpenStep(plot, current().time)],
      draw: [(plot) => drawMarks(plot, current())],
      setCursor: [(plot) => current().point(plot.cursor.idx ?? null)],
      setSelect: [(plot) => select(plot, current())],
      ready: [(plot) => pickOnClick(plot, current)],
    },
  }
}

/** The time of day; the date at midnight, or if the labels are a day or more apart. */
function instantLabels(splits: readonly number[], zone: 'local' | 'utc'): string[] {
  const apart = (splits[1] ?? 0) - (splits[0] ?? 0)
  return splits.map((seconds) => {
    const text = formatInstant(new Date(seconds * 1_000).toISOString(), zone)
    const time = text.slice(11, 16)
    return apart >= daySeconds || time === '00:00' ? text.slice(5, 10) : time
  })
}

/** Hatches the step in progress, whose value still grows. */
function hatchOpenStep({ ctx, bbox, valToPos }: uPlot, { at, isOpen }: ChartTime): void {
  const [before, last] = at.slice(-2)
  if (!isOpen || before === undefined || last === undefined) return
  const left = valToPos(before, 'x', true)
  const right = valToPos(last, 'x', true)
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, bbox.top, right - left, bbox.height)
  ctx.clip()
  ctx.strokeStyle = colour('--line')
  ctx.lineWidth = 1
  ctx.beginPath()
  for (let x = left - bbox.height; x < right; x += 6 * devicePixelRatio) {
    ctx.moveTo(x, bbox.top + bbox.height)
    ctx.lineTo(x + bbox.height, bbox.top)
  }
  ctx.stroke()
  ctx.restore()
}

/** A line from top to bottom for each mark. Its label is at the top, to the left of the line if there is no room to the right. */
function drawMarks({ ctx, bbox, scales, valToPos }: uPlot, { marks = [] }: ChartProps): void {
  const { min, max } = scales['x'] ?? {}
  ctx.save()
  ctx.strokeStyle = colour('--muted')
  ctx.fillStyle = colour('--muted')
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
  ctx.textBaseline = 'top'
  for (const { at, label } of marks.filter((mark) => mark.at >= (min ?? 0))) {
    // The axis ends at the start of the last step.
    const x = valToPos(Math.min(at, max ?? at), 'x', true)
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const gap = 4 * devicePixelRatio
    const isRoom = x + gap + ctx.measureText(label).width < bbox.left + bbox.width
    ctx.textAlign = isRoom ? 'left' : 'right'
    ctx.fillText(label, isRoom ? x + gap : x - gap, bbox.top)
  }
  ctx.restore()
}

/** A shorter drag counts as a click. */
const dragPixelsMin = 8

function select(plot: uPlot, { zoom }: ChartProps): void {
  const { left, width } = plot.select
  if (width < dragPixelsMin) return
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  zoom(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'))
}

function pickOnClick(plot: uPlot, current: () => ChartProps): void {
  let downAt = 0
  plot.over.addEventListener('mousedown', (event) => {
    downAt = event.clientX
  })
  plot.over.addEventListener('click', (event) => {
    const { idx } = plot.cursor
    if (Math.abs(event.clientX - downAt) < dragPixelsMin && typeof idx === 'number') current().pick(idx)
  })
}
