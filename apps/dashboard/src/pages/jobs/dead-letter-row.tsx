import type { DeadLetter } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { DeadLetterSearch } from '../../search.ts'
import { firstLine, shortId } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'

interface DeadLetterRowProps {
  readonly deadLetter: DeadLetter
  readonly selected: boolean
  readonly toggle: ((id: string) => void) | undefined
}

export const DeadLetterRow = memo(function DeadLetterRow({
  deadLetter,
  selected,
  toggle,
}: DeadLetterRowProps) {
  const { id, kind, queue, job_id: jobId } = deadLetter
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
        {deadLetter.attempts}/{deadLetter.max_attempts}
      </td>
      <td>
        <Time at={deadLetter.dead_lettered_at} />
      </td>
      <td className={`${ui['wide']} ${ui['muted']}`}>{firstLine(deadLetter.last_error ?? '')}</td>
    </tr>
  )
})
