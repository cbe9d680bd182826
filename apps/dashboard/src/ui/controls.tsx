import type { ButtonHTMLAttributes, InputHTMLAttributes, ReactNode } from 'react'
import { useId } from 'react'
import styles from './ui.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
}

function buttonClass(look: NonNullable<ButtonProps['look']> = 'plain'): string {
  return `${styles['button']} ${look === 'plain' ? '' : styles[look]}`
}

export function Button({ look = 'plain', className = '', ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={`${buttonClass(look)} ${className}`} />
}

/** A button with only an icon, and an accessible name. */
export function IconButton({ label, children, ...rest }: ButtonProps & { readonly label: string }) {
  return (
    <Button look="quiet" {...rest} aria-label={label} title={label} className={styles['icon'] ?? ''}>
      {children}
    </Button>
  )
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

/** An input with its label, and its hint or error message below. */
export function Field({ label, hint, fault, ...rest }: FieldProps) {
  const id = useId()
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className={styles['input']}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-about`}
      />
      <FieldNote id={`${id}-about`} hint={hint} fault={fault} />
    </div>
  )
}

interface FieldNoteProps extends Pick<FieldProps, 'hint' | 'fault'> {
  readonly id: string
}

export function FieldNote({ id, hint, fault }: FieldNoteProps) {
  return (
    <div id={id} className={fault === undefined ? styles['hint'] : styles['fault']}>
      {fault ?? hint}
    </div>
  )
}

interface CardProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly flush?: boolean
}

/** A section of a page with a heading. `flush` is for a table, which has its own padding. */
export function Card({ title, aside, children, flush = false }: CardProps) {
  const id = useId()
  return (
    <section className={styles['card']} aria-labelledby={id}>
      <div className={styles['cardHead']}>
        <h2 id={id}>{title}</h2>
        <span className={styles['spring']} />
        {aside}
      </div>
      <div className={flush ? '' : styles['cardBody']}>{children}</div>
    </section>
  )
}

interface PageProps {
  readonly title: ReactNode
  readonly subtitle?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, subtitle, actions, children }: PageProps) {
  return (
    <div className={styles['page']}>
      <header className={styles['header']}>
        <h1 tabIndex={-1}>{title}</h1>
        {subtitle !== undefined && <span className={styles['subtitle']}>{subtitle}</span>}
        <span className={styles['spring']} />
        {actions}
      </header>
      {children}
    </div>
  )
}

/** Names and values in two columns. Facts without a value are omitted. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  )
}
