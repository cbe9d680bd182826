import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { Button, IconButton } from '../ui/controls.tsx'
import { CopyCode } from '../ui/copy-code.tsx'
import styles from '../ui/ui.module.css'
import type { Done } from './act.ts'

export interface Toast extends Done {
  readonly id: number
}

interface ToastsProps {
  readonly toasts: readonly Toast[]
  readonly undo: (toast: Toast) => void
  readonly drop: (id: number) => void
}

/** The results of the latest actions. Screen readers announce them. */
export function Toasts({ toasts, undo, drop }: ToastsProps) {
  return (
    <div className={styles['toasts']} role="status">
      {toasts.map((toast) => (
        <div key={toast.id} className={styles['toast']} data-tone={toast.failed === true ? 'fault' : 'done'}>
          <span>{toast.text}</span>
          {toast.jobId !== undefined && (
            <Link to="/jobs/$id" params={{ id: toast.jobId }}>
              Open job
            </Link>
          )}
          {toast.undo !== undefined && <Button onClick={() => undo(toast)}>Undo</Button>}
          <IconButton label="Dismiss" onClick={() => drop(toast.id)}>
            <X size={16} aria-hidden />
          </IconButton>
          {toast.code !== undefined && <CopyCode code={toast.code} />}
        </div>
      ))}
    </div>
  )
}
