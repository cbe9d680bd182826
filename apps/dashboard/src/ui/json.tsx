import { CopyButton } from './copy.tsx'
import styles from './ui.module.css'

const tokenPattern = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Highlighted JSON. */
export function Json({ value, name }: { readonly value: unknown; readonly name: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'null'
  const parts: React.ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(tokenPattern)) {
    const [all, string, colon] = match
    const word = string ?? all
    parts.push(text.slice(end, match.index))
    const look = string === undefined ? 'literal' : colon === undefined ? 'string' : 'key'
    parts.push(
      <span key={match.index} className={styles[look]}>
        {word}
      </span>,
    )
    end = match.index + word.length
  }
  parts.push(text.slice(end))
  return (
    <div>
      {/* It scrolls, so it must be reachable by keyboard. */}
      <pre className={styles['tree']} tabIndex={0} aria-label={name} role="group">
        {parts}
      </pre>
      <CopyButton text={text}>Copy JSON</CopyButton>
    </div>
  )
}
