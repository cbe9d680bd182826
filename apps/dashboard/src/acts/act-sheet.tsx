import { Button } from '../ui/controls.tsx'
import { CopyCode } from '../ui/copy-code.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useOnce } from '../ui/use-once.ts'
import styles from '../ui/ui.module.css'
import type { Act } from './act.ts'

interface ActSheetProps {
  readonly act: Act
  readonly perform: (act: Act) => Promise<void>
  readonly close: () => void
}

/** A confirmation dialog: how many and which objects, the effect, and the same action as code. */
export function ActSheet({ act, perform, close }: ActSheetProps) {
  const { busy, run } = useOnce()
  const { title, effect, sample = [], confirm, dismiss = 'Close', dangerous = false, code, expects } = act
  const submit = async (): Promise<void> => {
    const performed = perform(act)
    // An optimistic update shows at once, so the dialog can close.
    if (expects === undefined) await performed
    close()
  }
  return (
    <Dialog title={title} close={close}>
      <p>{effect}</p>
      {sample.length > 0 && (
        <ul className={styles['sample']}>
          {sample.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {code !== undefined && <CopyCode code={code} />}
      <div className={styles['actions']}>
        <Button onClick={close}>{dismiss}</Button>
        <Button
          look={dangerous ? 'danger' : 'primary'}
          disabled={busy}
          data-first
          onClick={() => void run(submit)}
        >
          {confirm}
        </Button>
      </div>
    </Dialog>
  )
}
