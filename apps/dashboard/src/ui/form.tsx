import { createContext, type FormHTMLAttributes, type ReactNode, type SubmitEvent, useContext } from 'react'
import { Button, type ButtonProps } from './controls.tsx'
import { useOnce } from './use-once.ts'

const BusyContext = createContext(false)

interface FormProps extends Pick<FormHTMLAttributes<HTMLFormElement>, 'className' | 'onChange'> {
  /** Must not throw. */
  readonly submit: (form: HTMLFormElement) => Promise<void>
  readonly children: ReactNode
}

/** A form. It is ignored when it is submitted again while its work is in progress. */
export function Form({ submit, children, ...rest }: FormProps) {
  const { busy, run } = useOnce()
  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    void run(() => submit(form))
  }
  return (
    <form method="post" noValidate aria-busy={busy} {...rest} onSubmit={onSubmit}>
      <BusyContext value={busy}>{children}</BusyContext>
    </form>
  )
}

/** The button that submits its form, while the work of the form is not in progress. */
export function SubmitButton({ disabled = false, ...rest }: ButtonProps) {
  const busy = useContext(BusyContext)
  return <Button look="primary" {...rest} type="submit" disabled={busy || disabled} />
}
