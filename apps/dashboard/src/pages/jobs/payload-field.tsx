import { useId } from 'react'
import { Field, FieldNote } from '../../ui/controls.tsx'
import ui from '../../ui/ui.module.css'
import type { SchemaField } from './schema-fields.ts'

interface PayloadFieldProps {
  readonly field: SchemaField
  readonly value: string
  readonly fault: string | undefined
  readonly change: (value: string) => void
}

/** The input for one member of a payload, by its type. */
export function PayloadField({ field, value, fault, change }: PayloadFieldProps) {
  const id = useId()
  const { name, type, required, hint } = field
  const label = required ? name : `${name} (optional)`
  if (type === 'text' || type === 'number') {
    return (
      <Field
        label={label}
        type={type}
        step="any"
        required={required}
        hint={hint}
        fault={fault}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    )
  }
  const shared = {
    id,
    className: ui['input'],
    value,
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${id}-about`,
  }
  return (
    <div className={ui['field']}>
      <label htmlFor={id}>{label}</label>
      {type === 'json' ? (
        <textarea {...shared} spellCheck={false} onChange={(event) => change(event.target.value)} />
      ) : (
        <select {...shared} onChange={(event) => change(event.target.value)}>
          <option value="">–</option>
          {(type === 'boolean' ? ['true', 'false'] : field.choices).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      <FieldNote id={`${id}-about`} hint={hint} fault={fault} />
    </div>
  )
}
