import { useQueryClient } from '@tanstack/react-query'
import { Rows3 } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { signIn } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { Button, Field } from '../ui/controls.tsx'
import { formText } from '../ui/form-text.ts'
import styles from './shell.module.css'

/** Asks for a key. The page that was asked for is behind it, at the same address. */
export function SignIn() {
  const queryClient = useQueryClient()
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
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
        <Field
          label="API key"
          name="key"
          type="password"
          autoComplete="current-password"
          autoFocus
          fault={fault}
          hint="It is made by `migrate keys create`. You stay signed in for 12 hours, or until the key ends."
        />
        <Button type="submit" look="primary" disabled={busy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
