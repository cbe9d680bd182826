import { useQueryClient } from '@tanstack/react-query'
import { LogIn, Rows3 } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { signIn, signInAtIssuer, wasActRefused } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { Button, Field } from '../ui/controls.tsx'
import { formText } from '../ui/form-text.ts'
import ui from '../ui/ui.module.css'
import styles from './shell.module.css'

/** Why somebody comes back from the issuer and is not signed in, as the address says it. */
const returnFaults: Readonly<Record<string, string>> = {
  expired: 'That took too long, or was begun in another browser. Sign in again.',
  refused: 'The issuer has not let you sign in.',
  unavailable: 'The issuer could not be asked. Try again.',
  nothing_permitted: 'You are known, but have no role here. Whoever runs this queue can give you one.',
}

function returnFault(): string | undefined {
  return returnFaults[new URLSearchParams(location.search).get('sign_in') ?? '']
}

interface IssuerButtonProps {
  readonly issuer: string
  readonly tell: (fault: string | undefined) => void
}

function IssuerButton({ issuer, tell }: IssuerButtonProps) {
  const [busy, setBusy] = useState(false)
  const leave = async (): Promise<void> => {
    setBusy(true)
    const fault = await signInAtIssuer().catch((error: unknown) => failureOf(error).text)
    tell(fault)
    if (fault !== undefined) setBusy(false)
  }
  return (
    <Button look="primary" autoFocus disabled={busy} onClick={() => void leave()}>
      <LogIn size={16} aria-hidden />
      Sign in with {issuer}
    </Button>
  )
}

/** Asks for a key, or leads to the issuer. The page that was asked for is behind it, at the same address. */
export function SignIn({ issuer }: { readonly issuer: string | null }) {
  const queryClient = useQueryClient()
  const [fault, setFault] = useState<string>()
  const [issuerFault, setIssuerFault] = useState(returnFault)
  const [busy, setBusy] = useState(false)
  const [notDone] = useState(wasActRefused)
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const key = formText(event.currentTarget, 'key')
    if (key === '') return setFault('Enter a key.')
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
        {notDone && (
          <p role="alert" className={ui['fault']}>
            Your session has ended. What you have asked for last was not done: sign in, and do it again.
          </p>
        )}
        {issuer !== null && (
          <>
            <IssuerButton issuer={issuer} tell={setIssuerFault} />
            <div className={ui['fault']} role="alert">
              {issuerFault}
            </div>
            <div className={styles['or']}>or with a key</div>
          </>
        )}
        <Field
          label="API key"
          name="key"
          type="password"
          autoComplete="current-password"
          autoFocus={issuer === null}
          fault={fault}
          hint="It is made by `migrate keys create`. You stay signed in for 12 hours, or until the key ends."
        />
        <Button type="submit" look={issuer === null ? 'primary' : 'plain'} disabled={busy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
