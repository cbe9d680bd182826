import styles from './sparkline.module.css'

interface SparklineProps {
  /** The value of each step, the oldest first. */
  readonly values: readonly number[]
  /** Whether the last step is still in progress. */
  readonly isOpen: boolean
  /** The accessible description. */
  readonly text: string
}

const [width, height] = [96, 20]
/** The minimum height of a bar, so that a small value is visible. */
const barMin = 2

/** Bars over time, from 0, for a table row. The step in progress is lighter, because it still grows. */
export function Sparkline({ values, isOpen, text }: SparklineProps) {
  const max = Math.max(1, ...values)
  const each = width / values.length
  const bars = values.map((value, index) =>
    value === 0
      ? ''
      : barOf({ left: index * each, wide: Math.max(1, each - 1), tall: (value / max) * height }),
  )
  const ended = isOpen ? bars.slice(0, -1) : bars
  return (
    <svg className={styles['sparkline']} viewBox={`0 0 ${width} ${height + 1}`} role="img" aria-label={text}>
      <title>{text}</title>
      <path className={styles['ground']} d={`M0 ${height + 0.5}h${width}`} />
      <path d={ended.join('')} />
      {isOpen && <path className={styles['open']} d={bars.at(-1)} />}
    </svg>
  )
}

interface Bar {
  readonly left: number
  readonly wide: number
  readonly tall: number
}

function barOf({ left, wide, tall }: Bar): string {
  const up = Math.max(barMin, tall).toFixed(2)
  return `M${left.toFixed(2)} ${height}v-${up}h${wide.toFixed(2)}V${height}z`
}
