import { useId } from 'react'
import { FieldNote } from './controls.tsx'
import styles from './ui.module.css'

interface TextAreaProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly value: string
  readonly change: (text: string) => void
}

/** A multi-line input with its label, and its hint or error message below. */
export function TextArea({ label, hint, fault, value, change }: TextAreaProps) {
  const id = useId()
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className={styles['input']}
        spellCheck={false}
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => change(event.target.value)}
      />
      <FieldNote id={`${id}-about`} hint={hint} fault={fault} />
    </div>
  )
}
