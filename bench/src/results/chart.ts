/** The results of a full run, as they are committed. */
export interface Results {
  readonly machine: string
  /** The day of the run, ISO 8601. */
  readonly measuredOn: string
  /** The figures of each part. */
  readonly figures: Readonly<Record<string, unknown>>
  /** By `<work> vs <other>`: our rate (for latencies our time) relative to the other. */
  readonly ratios: Readonly<Record<string, number>>
}

/** A group of bars for the same work by each contender. */
interface Group {
  readonly title: string
  readonly unit: string
  readonly bars: readonly { readonly label: string; readonly value: number }[]
}

const width = 760
const labelWidth = 190
const valueWidth = 110
const barHeight = 18
const barGap = 6
const groupGap = 34
const titleHeight = 24
const margin = 16
const ourColour = '#2563eb'
const rivalColour = '#94a3b8'
/** The labels of this queue in the figures. */
const ours = new Set(['ours', 'grouped inserts'])

/** Renders the results as an SVG with a group of bars for each kind of work. Each group has its own scale. */
export function renderChart(results: Results): string {
  const groups = groupsOf(results.figures)
  let top = margin
  const parts: string[] = []
  for (const group of groups) {
    parts.push(renderGroup(group, top))
    top += heightOf(group)
  }
  const note = text({ x: margin, y: top, content: results.machine, size: 10, colour: '#64748b' })
  const height = top + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" role="img" aria-label="${escape(describe(groups))}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    note,
    '</svg>',
    '',
  ].join('\n')
}

function groupsOf(figures: Results['figures']): Group[] {
  return [
    groupOf({ title: 'Jobs added in bulk', unit: 'jobs/s', part: figures['enqueue'], figure: 'perSecond' }),
    groupOf({
      title: '100 000 no-op jobs drained by one process',
      unit: 'jobs/s',
      part: figures['drain'],
      figure: 'perSecond',
    }),
    groupOf({
      title: 'From enqueue to start on an idle queue, median (less is better)',
      unit: 'ms',
      part: figures['latency'],
      figure: 'p50Ms',
    }),
    groupOf({
      title: 'From enqueue to start on an idle queue, 99th percentile (less is better)',
      unit: 'ms',
      part: figures['latency'],
      figure: 'p99Ms',
    }),
    groupOf({
      title: 'POST /jobs from 64 connections',
      unit: 'req/s',
      part: figures['http'],
      figure: 'perSecond',
    }),
  ].filter(({ bars }) => bars.length > 0)
}

interface GroupOptions {
  readonly title: string
  readonly unit: string
  /** The figures by contender; undefined if the part was not run. */
  readonly part: unknown
  readonly figure: string
}

function groupOf({ title, unit, part, figure }: GroupOptions): Group {
  const entries = Object.entries((part ?? {}) as Record<string, Record<string, number>>)
  return { title, unit, bars: entries.map(([label, result]) => ({ label, value: result[figure] ?? 0 })) }
}

function heightOf({ bars }: Group): number {
  return titleHeight + bars.length * (barHeight + barGap) + groupGap - barGap
}

function renderGroup({ title, unit, bars }: Group, top: number): string {
  const longest = Math.max(...bars.map(({ value }) => value))
  const barWidthMax = width - labelWidth - valueWidth - 2 * margin
  const lines = bars.map(({ label, value }, index) => {
    const y = top + titleHeight + index * (barHeight + barGap)
    const length = Math.max(1, (value / longest) * barWidthMax)
    const colour = ours.has(label) ? ourColour : rivalColour
    const barX = margin + labelWidth
    return [
      text({ x: margin, y: y + 13, content: label, size: 12, colour: '#0f172a' }),
      `<rect x="${barX}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2" fill="${colour}"/>`,
      text({
        x: barX + length + 8,
        y: y + 13,
        content: `${formatValue(value)} ${unit}`,
        size: 12,
        colour: '#0f172a',
      }),
    ].join('\n')
  })
  return [
    text({ x: margin, y: top + 12, content: title, size: 13, colour: '#0f172a', weight: 600 }),
    ...lines,
  ].join('\n')
}

interface Text {
  readonly x: number
  readonly y: number
  readonly content: string
  readonly size: number
  readonly colour: string
  readonly weight?: number
}

function text({ x, y, content, size, colour, weight = 400 }: Text): string {
  return `<text x="${x.toFixed(1)}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escape(content)}</text>`
}

function formatValue(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en').replaceAll(',', ' ') : value.toFixed(2)
}

/** Describes the chart as text for screen readers. */
function describe(groups: readonly Group[]): string {
  return groups
    .map(
      ({ title, unit, bars }) =>
        `${title}: ${bars.map(({ label, value }) => `${label} ${formatValue(value)} ${unit}`).join(', ')}`,
    )
    .join('. ')
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
