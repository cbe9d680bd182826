import type { Queue } from '@queue/client'
import { formatCount } from './format.ts'
import styles from './ui.module.css'

const parts = [
  ['running', 'var(--state-running)'],
  ['retrying', 'var(--state-retrying)'],
  ['queued', 'var(--input)'],
] as const

/** The jobs of a queue by state, relative to the queue with the most jobs. */
export function DepthBar({ depth, max }: { readonly depth: Queue['depth']; readonly max: number }) {
  const label = parts.map(([state]) => `${formatCount(depth[state])} ${state}`).join(', ')
  return (
    <div className={styles['stack']} role="img" aria-label={label} title={label}>
      {parts.map(([state, background]) => (
        <span key={state} style={{ width: `${(100 * depth[state]) / max}%`, background }} />
      ))}
    </div>
  )
}
