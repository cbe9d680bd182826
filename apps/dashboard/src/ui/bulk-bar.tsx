import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './controls.tsx'
import { formatCount } from './format.ts'
import styles from './bulk-bar.module.css'

interface BulkBarProps {
  readonly count: number
  readonly clear: () => void
  readonly children: ReactNode
}

/** What can be done with the rows that are chosen. */
export function BulkBar({ count, clear, children }: BulkBarProps) {
  if (count === 0) return null
  return (
    <div className={styles['bar']} role="toolbar" aria-label="Acts on the selected rows">
      <b>{formatCount(count)} selected</b>
      {children}
      <IconButton label="Clear the selection" onClick={clear}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  )
}
