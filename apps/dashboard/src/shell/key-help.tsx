import { Button } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import ui from '../ui/ui.module.css'
import { goKey, keyHelp } from './keyboard.ts'
import { keysSetting, useKeysSetting } from './live.ts'
import styles from './shell.module.css'

export function KeyHelp({ close }: { readonly close: () => void }) {
  const on = useKeysSetting() === 'on'
  return (
    <Dialog title="Keyboard" close={close}>
      <dl className={styles['keys']}>
        {keyHelp.map(([key, does]) => [
          <dt key={`${key} key`}>
            <kbd className={ui['kbd']}>{key}</kbd>
          </dt>,
          <dd key={key}>{does}</dd>,
        ])}
      </dl>
      <p className={ui['hint']}>
        Single keys do nothing while you type. Switched off, {goKey} alone is left.
      </p>
      <div className={ui['actions']}>
        <Button onClick={() => keysSetting.set(on ? 'off' : 'on')}>
          {on ? 'Switch single keys off' : 'Switch single keys on'}
        </Button>
        <Button look="primary" data-first onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
