import { Button } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import ui from '../ui/ui.module.css'
import { goKey, keyHelp } from './keyboard.ts'
import { keysSetting, useKeysSetting } from './live.ts'
import styles from './shell.module.css'

export function KeyHelp({ close }: { readonly close: () => void }) {
  const on = useKeysSetting() === 'on'
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl className={styles['keys']}>
        {keyHelp.map(([key, description]) => [
          <dt key={`${key} key`}>
            <kbd className={ui['kbd']}>{key}</kbd>
          </dt>,
          <dd key={key}>{description}</dd>,
        ])}
      </dl>
      <p className={ui['hint']}>
        Single-key shortcuts are ignored while you type. If you turn them off, only {goKey} works.
      </p>
      <div className={ui['actions']}>
        <Button onClick={() => keysSetting.set(on ? 'off' : 'on')}>
          {on ? 'Turn off single-key shortcuts' : 'Turn on single-key shortcuts'}
        </Button>
        <Button look="primary" data-first onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
