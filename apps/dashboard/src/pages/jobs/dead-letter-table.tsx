import type { DeadLetter } from '@queue/client'
import { useMay } from '../../shell/me.tsx'
import { RowGroups } from '../../ui/row-groups.tsx'
import { SelectAll } from '../../ui/select-all.tsx'
import ui from '../../ui/ui.module.css'
import type { Selection } from '../../ui/use-selection.ts'
import { DeadLetterRow } from './dead-letter-row.tsx'

interface DeadLetterTableProps {
  readonly deadLetters: readonly DeadLetter[]
  /** Absent: rows cannot be selected. */
  readonly selection?: Selection<DeadLetter>
}

export function DeadLetterTable({ deadLetters, selection }: DeadLetterTableProps) {
  const may = useMay()
  const selectable = selection !== undefined && (may('dead_letters:requeue') || may('dead_letters:delete'))
  return (
    <table className={ui['table']}>
      <thead>
        <tr>
          {selectable && <SelectAll selection={selection} />}
          <th>Kind</th>
          <th>Queue</th>
          <th className={ui['number']}>Attempts</th>
          <th>Failed</th>
          <th>Error</th>
        </tr>
      </thead>
      <RowGroups rows={deadLetters}>
        {(deadLetter) => (
          <DeadLetterRow
            key={deadLetter.id}
            deadLetter={deadLetter}
            selected={selection?.ids.has(deadLetter.id) ?? false}
            toggle={selectable ? selection.toggle : undefined}
          />
        )}
      </RowGroups>
    </table>
  )
}
