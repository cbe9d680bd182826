import type { DeadLetter } from '@queue/client'
import { useMay } from '../shell/me.tsx'
import type { Selection } from '../ui/use-selection.ts'
import { RowGroups } from '../ui/row-groups.tsx'
import { SelectAll } from '../ui/select-all.tsx'
import ui from '../ui/ui.module.css'
import { LetterRow } from './letter-row.tsx'

interface LetterTableProps {
  readonly letters: readonly DeadLetter[]
  /** Absent: no row can be chosen. */
  readonly selection?: Selection<DeadLetter>
}

export function LetterTable({ letters, selection }: LetterTableProps) {
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
      <RowGroups rows={letters}>
        {(letter) => (
          <LetterRow
            key={letter.id}
            letter={letter}
            selected={selection?.ids.has(letter.id) ?? false}
            toggle={selectable ? selection.toggle : undefined}
          />
        )}
      </RowGroups>
    </table>
  )
}
