import { plural } from './format.ts'
import styles from './stack.module.css'

interface StackProps {
  /** What it is, for a screen reader. */
  readonly label: string
  readonly text: string
}

/** An error with its stack: the frames of one's own code, and those of libraries folded away. */
export function Stack({ label, text }: StackProps) {
  return (
    <div className={styles['stack']} role="group" aria-label={label} tabIndex={0}>
      {partsOf(text).map(({ isLibrary, lines }, index) =>
        isLibrary ? (
          <details key={index}>
            <summary>{plural(lines.length, 'frame')} of libraries</summary>
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

/** Frames of installed packages, and of Node.js itself. */
const libraryFrame = /^\s+at .*(?:[\\/]node_modules[\\/]|\(?node:|<anonymous>\)?$)/

/** Neighbouring lines of one sort. */
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
