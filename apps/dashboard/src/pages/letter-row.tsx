import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { DeadLetter } from '@queue/client'
import type { DeadLetterSearch } from '../search.ts'
import { firstLine, shortId } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'

interface LetterRowProps {
  readonly letter: DeadLetter
  readonly selected: boolean
  readonly toggle: ((id: string) => void) | undefined
}

export const LetterRow = memo(function LetterRow({ letter, selected, toggle }: LetterRowProps) {
  const { id, kind, queue, job_id: jobId } = letter
  return (
    <tr data-row={id} data-selected={selected}>
      {toggle !== undefined && (
        <td className={ui['check']}>
          <input
            type="checkbox"
            aria-label={`Select ${kind} ${shortId(jobId)}`}
            checked={selected}
            onChange={() => toggle(id)}
          />
        </td>
      )}
      <td>
        <Link to="/jobs/$id" params={{ id: jobId }} className={ui['strong'] ?? ''}>
          {kind}
        </Link>{' '}
        <span className={`${ui['mono']} ${ui['muted']}`}>{shortId(jobId)}</span>
      </td>
      <td>
        <Link to="/dead-letters" search={(before: DeadLetterSearch) => ({ ...before, queue })}>
          {queue}
        </Link>
      </td>
      <td className={ui['number']} data-label="attempts">
        {letter.attempts}/{letter.max_attempts}
      </td>
      <td>
        <Time at={letter.dead_lettered_at} />
      </td>
      <td className={`${ui['wide']} ${ui['muted']}`}>{firstLine(letter.last_error ?? '')}</td>
    </tr>
  )
})
