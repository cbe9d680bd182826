import type { DeadLetter } from '@queue/client'
import { useMemo } from 'react'
import { Card } from '../../ui/controls.tsx'
import { formatCount } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import styles from './failure-groups.module.css'
import { groupFailures } from './failure-groups.ts'

const shown = 5

interface FailureGroupsProps {
  readonly deadLetters: readonly DeadLetter[]
  readonly current: string | undefined
  readonly choose: (fingerprint: string | undefined) => void
}

/** The most frequent errors of the loaded dead letters. A click filters by one of them. */
export function FailureGroups({ deadLetters, current, choose }: FailureGroupsProps) {
  const groups = useMemo(() => groupFailures(deadLetters), [deadLetters])
  if (groups.length < 2 && current === undefined) return null
  const maxCount = groups[0]?.count ?? 1
  const about = <span className={ui['hint']}>of {formatCount(deadLetters.length)} loaded</span>
  return (
    <Card title="Errors" aside={about} flush>
      <ul className={styles['groups']}>
        {groups.slice(0, shown).map(({ fingerprint, kind, text, count }) => (
          <li key={fingerprint}>
            <button
              type="button"
              aria-pressed={fingerprint === current}
              onClick={() => choose(fingerprint === current ? undefined : fingerprint)}
            >
              <b>{formatCount(count)}</b>
              <span className={styles['bar']}>
                <span style={{ width: `${(100 * count) / maxCount}%` }} />
              </span>
              <span>{kind}</span>
              <span className={styles['text']}>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
