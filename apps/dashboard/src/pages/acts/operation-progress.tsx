import type { Operation } from '@queue/client'
import { Ban, CircleCheck, CirclePlay, CircleSlash, type LucideIcon, OctagonX } from 'lucide-react'
import { processedCount } from '../../acts/operation-acts.ts'
import { formatCount } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import styles from './operations.module.css'

const looks: Readonly<
  Record<Operation['state'], { readonly icon: LucideIcon; readonly style: string | undefined }>
> = {
  running: { icon: CirclePlay, style: ui['running'] },
  succeeded: { icon: CircleCheck, style: ui['succeeded'] },
  cancelled: { icon: Ban, style: ui['cancelled'] },
  refused: { icon: CircleSlash, style: ui['failed'] },
  failed: { icon: OctagonX, style: ui['failed'] },
}

export function OperationPill({ state }: Pick<Operation, 'state'>) {
  const { icon: Icon, style } = looks[state]
  return (
    <span className={`${ui['pill']} ${style}`} data-state={state}>
      <Icon size={14} aria-hidden />
      <span className={styles['state']}>{state}</span>
    </span>
  )
}

/** The number of processed jobs, of at least the expected number. */
export function OperationProgress({ operation }: { readonly operation: Operation }) {
  const { expected, expected_is_least: isLeast, state } = operation
  const done = processedCount(operation)
  const max = Math.max(1, done, expected)
  return (
    <span className={styles['progress']} data-state={state}>
      <progress max={max} value={state === 'succeeded' ? max : done} aria-label="Progress" />
      <span>
        {formatCount(done)} of {formatCount(expected)}
        {isLeast && ' or more'}
      </span>
    </span>
  )
}
