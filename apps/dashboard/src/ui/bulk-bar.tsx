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

/** The actions for the selected rows. */
export function BulkBar({ count, clear, children }: BulkBarProps) {
  if (count === 0) return null
  return (
    <div className={styles['bar']} role="toolbar" aria-label="Actions for the selected rows">
      <b>{formatCount(count)} selected</b>
      {children}
      <IconButton label="Clear selection" onClick={clear}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  )
}
