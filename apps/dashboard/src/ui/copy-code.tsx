import { type ActCode, asCurl, asTypeScript } from '../acts/code.ts'
import { CopyButton } from './copy.tsx'
import styles from './ui.module.css'

/** An act as a command and as a program, to take away. */
export function CopyCode({ code }: { readonly code: ActCode }) {
  return (
    <div className={styles['copies']}>
      <CopyButton text={asCurl(code)}>Copy as curl</CopyButton>
      <CopyButton text={asTypeScript(code)}>Copy as TypeScript</CopyButton>
    </div>
  )
}
