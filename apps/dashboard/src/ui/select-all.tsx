import type { ReactElement } from 'react'
import ui from './ui.module.css'
import type { Selection } from './use-selection.ts'

/** The header of the checkbox column. */
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
