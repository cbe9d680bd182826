import { type ActCode, asCurl, asTypeScript } from '../acts/code.ts'
import { CopyButton } from './copy.tsx'
import styles from './ui.module.css'

/** Copies an action as a curl command or as a TypeScript program. */
export function CopyCode({ code }: { readonly code: ActCode }) {
  return (
    <div className={styles['copies']}>
      <CopyButton text={asCurl(code)}>Copy as curl</CopyButton>
      <CopyButton text={asTypeScript(code)}>Copy as TypeScript</CopyButton>
    </div>
  )
}
