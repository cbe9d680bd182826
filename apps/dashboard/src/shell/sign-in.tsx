import { useQueryClient } from '@tanstack/react-query'
import { LogIn, Rows3 } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { signIn, signInAtIssuer, wasActRefused } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { Button, Field } from '../ui/controls.tsx'
import { formText } from '../ui/form-text.ts'
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
  const [busy, setBusy] = useState(false)
  const signInThere = async (): Promise<void> => {
    setBusy(true)
    const fault = await signInAtIssuer().catch((error: unknown) => failureOf(error).text)
    report(fault)
    if (fault !== undefined) setBusy(false)
  }
  return (
    <Button look="primary" autoFocus disabled={busy} onClick={() => void signInThere()}>
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
  const [busy, setBusy] = useState(false)
  const [wasRefused] = useState(wasActRefused)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const key = formText(event.currentTarget, 'key')
    if (key === '') return setFault('Enter an API key.')
    setBusy(true)
    const refused = await signIn(key).catch((error: unknown) => failureOf(error).text)
    setBusy(false)
    setFault(refused)
    if (refused === undefined) await queryClient.resetQueries()
  }
  return (
    <main className={styles['signIn']}>
      <form method="post" onSubmit={(event) => void submit(event)}>
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
          hint="Create one with `migrate keys create`. You stay signed in for 12 hours, or until the key expires."
        />
        <Button type="submit" look={issuer === null ? 'primary' : 'plain'} disabled={busy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
