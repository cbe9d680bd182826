import type { ReactElement } from 'react'
import ui from './ui.module.css'
import type { Selection } from './use-selection.ts'

/** The head of the column in which rows are chosen. */
export function SelectAll({
  selection,
}: {
  readonly selection: Pick<Selection<never>, 'all' | 'toggleAll'>
}): ReactElement {
  return (
    <th className={ui['check']}>
      <input
        type="checkbox"
        aria-label="Select all rows"
        checked={selection.all}
        onChange={selection.toggleAll}
      />
    </th>
  )
}
