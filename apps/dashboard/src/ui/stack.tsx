import { plural } from './format.ts'
import styles from './stack.module.css'

interface StackProps {
  /** The accessible name. */
  readonly label: string
  readonly text: string
}

/** An error with its stack. Library frames are collapsed. */
export function Stack({ label, text }: StackProps) {
  return (
    <div className={styles['stack']} role="group" aria-label={label} tabIndex={0}>
      {partsOf(text).map(({ isLibrary, lines }, index) =>
        isLibrary ? (
          <details key={index}>
            <summary>{plural(lines.length, 'library frame')}</summary>
            <pre>{lines.join('\n')}</pre>
          </details>
        ) : (
          <pre key={index}>{lines.join('\n')}</pre>
        ),
      )}
    </div>
  )
}

interface Part {
  readonly isLibrary: boolean
  readonly lines: string[]
}

/** A frame of an installed package or of Node.js. */
const libraryFrame = /^\s+at .*(?:[\\/]node_modules[\\/]|\(?node:|<anonymous>\)?$)/

/** Groups consecutive lines of the same sort. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = []
  for (const line of text.split('\n')) {
    const isLibrary = libraryFrame.test(line)
    const last = parts.at(-1)
    if (last?.isLibrary === isLibrary) last.lines.push(line)
    else parts.push({ isLibrary, lines: [line] })
  }
  return parts
}
