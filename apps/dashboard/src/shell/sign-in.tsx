import { useQueryClient } from '@tanstack/react-query'
import { LogIn, Rows3 } from 'lucide-react'
import { useState } from 'react'
import { signIn, signInAtIssuer, wasActRefused } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { Button, Field } from '../ui/controls.tsx'
import { Form, SubmitButton } from '../ui/form.tsx'
import { formText } from '../ui/form-text.ts'
import { useOnce } from '../ui/use-once.ts'
import ui from '../ui/ui.module.css'
import styles from './shell.module.css'

/** Messages for the `sign_in` parameter, with which the issuer sends a user back who is not signed in. */
const returnMessages: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long or was started in another browser. Sign in again.',
  refused: 'The identity provider refused the sign-in.',
  unavailable: 'The identity provider cannot be reached. Try again.',
  nothing_permitted: 'Your account has no role in this queue. Ask an administrator of the queue for one.',
}

function returnMessage(): string | undefined {
  return returnMessages[new URLSearchParams(location.search).get('sign_in') ?? '']
}

interface IssuerButtonProps {
  readonly issuer: string
  readonly report: (fault: string | undefined) => void
}

function IssuerButton({ issuer, report }: IssuerButtonProps) {
  const { busy, run } = useOnce()
  const signInThere = async (): Promise<void> => {
    const fault = await signInAtIssuer().catch((error: unknown) => failureOf(error).text)
    report(fault)
    // The page is about to be left.
    if (fault === undefined) await new Promise<never>(() => undefined)
  }
  return (
    <Button look="primary" autoFocus disabled={busy} onClick={() => void run(signInThere)}>
      <LogIn size={16} aria-hidden />
      Sign in with {issuer}
    </Button>
  )
}

/** Signs in with a key or at the issuer. The requested page follows at the same address. */
export function SignIn({ issuer }: { readonly issuer: string | null }) {
  const queryClient = useQueryClient()
  const [fault, setFault] = useState<string>()
  const [issuerFault, setIssuerFault] = useState(returnMessage)
  const [wasRefused] = useState(wasActRefused)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const key = formText(form, 'key')
    if (key === '') return setFault('Enter an API key.')
    const refused = await signIn(key).catch((error: unknown) => failureOf(error).text)
    setFault(refused)
    if (refused === undefined) await queryClient.resetQueries()
  }
  return (
    <main className={styles['signIn']}>
      <Form submit={submit}>
        <div className={styles['brand']}>
          <span className={styles['mark']}>
            <Rows3 size={16} aria-hidden />
          </span>
          <h1>Sign in to Queue</h1>
        </div>
        {wasRefused && (
          <p role="alert" className={ui['fault']}>
            Your session has ended. Your last action was not carried out. Sign in and try again.
          </p>
        )}
        {issuer !== null && (
          <>
            <IssuerButton issuer={issuer} report={setIssuerFault} />
            <div className={ui['fault']} role="alert">
              {issuerFault}
            </div>
            <div className={styles['or']}>or use an API key</div>
          </>
        )}
        <Field
          label="API key"
          name="key"
          type="password"
          autoComplete="current-password"
          autoFocus={issuer === null}
          fault={fault}
          hint="Create one with `queue keys create`. You stay signed in for 12 hours, or until the key expires."
        />
        <SubmitButton look={issuer === null ? 'primary' : 'plain'}>Sign in</SubmitButton>
      </Form>
    </main>
  )
}
